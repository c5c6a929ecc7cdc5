"""HTTP over the worlds of a server: who asks (`front`, `visit`), what is asked (`fields`), and who answers (`desk`).

Routes by what they serve: `hot` the calls that agents make most, `rest` the typed tables, `episode_routes` trainers,
`site` browsers, `status` whoever watches. `worldgen.serve.app` puts them together.
"""
