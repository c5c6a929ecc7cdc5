"""How faithful a world model is: predicted observations against recorded ones, judged and verified by rule.

`read_benchmark` reads AgentWorldBench's files, `make_testset` makes a test set of a built world in their format,
`run_fidelity` predicts and judges, `report_of` scores.
"""
