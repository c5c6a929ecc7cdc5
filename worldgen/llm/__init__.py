"""Language models behind an OpenAI-compatible address: one interface, a client, a cache, and a fake for tests.

Start with `ModelClient` for a server and `Request` for what it is asked. Nothing else in worldgen speaks to a model.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from worldgen.llm.model import Message, Model, ModelError, Reply, Request, Sampling, Shape, Tokens
from worldgen.thinking import split_thinking

if TYPE_CHECKING:
    from worldgen.llm.blocking import Blocking
    from worldgen.llm.breaker import Breaker
    from worldgen.llm.client import ModelClient
    from worldgen.llm.fake import FakeReply, FakeServer, ScriptedModel
    from worldgen.llm.offline import OfflineModel
    from worldgen.llm.probe import Capabilities
    from worldgen.llm.usage import Usage

__all__ = [
    "Blocking",
    "Breaker",
    "Capabilities",
    "FakeReply",
    "FakeServer",
    "Message",
    "Model",
    "ModelClient",
    "ModelError",
    "OfflineModel",
    "Reply",
    "Request",
    "Sampling",
    "ScriptedModel",
    "Shape",
    "Tokens",
    "Usage",
    "split_thinking",
]

_HOMES = {
    "Blocking": "blocking",
    "Breaker": "breaker",
    "Capabilities": "probe",
    "FakeReply": "fake",
    "FakeServer": "fake",
    "ModelClient": "client",
    "OfflineModel": "offline",
    "ScriptedModel": "fake",
    "Usage": "usage",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'worldgen.llm' has no attribute {name!r}")
    value = getattr(import_module(f"worldgen.llm.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
