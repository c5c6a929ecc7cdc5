"""Language models behind an OpenAI-compatible address: one interface, a client, a cache, and a fake for tests.

Start with `ModelClient` for a server and `Request` for what it is asked. Nothing else in worldgen speaks to a model.
"""

from worldgen.llm.model import Message, Model, ModelError, Reply, Request, Sampling, Shape, Tokens

__all__ = ["Message", "Model", "ModelError", "Reply", "Request", "Sampling", "Shape", "Tokens"]
