"""What a server can do, found out by asking it: a handful of tiny requests, once a client."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from worldgen.llm.model import ModelError, whole
from worldgen.llm.wire import Dialect, first_choice, place, tokens

Kind = Literal["sglang", "vllm", "llama.cpp", "unknown"]
Ask = Callable[[dict[str, Any], dict[str, Any]], Awaitable[Any]]

# What a probe says; a fake server knows it by this.
PROBE = "Say hello."
_SCHEMA = {
    "type": "object",
    "properties": {"probe": {"type": "string", "enum": ["qx7az"]}},
    "required": ["probe"],
    "additionalProperties": False,
}
_FORM = {"type": "json_schema", "json_schema": {"name": "probe", "schema": _SCHEMA, "strict": True}}
_SWITCH = {"chat_template_kwargs": {"enable_thinking": False}}
_INSTANCE = '{"probe":"qx7az"}'
_WORD = "qx7[ab]z"
_GRAMMAR = 'root ::= "qx7" ("a" | "b") "z"'
_REGEX_FIELDS: dict[Kind, tuple[str, ...]] = {
    "sglang": ("regex",),
    "vllm": ("structured_outputs.regex", "guided_regex"),
    "llama.cpp": (),
    "unknown": ("regex", "structured_outputs.regex", "guided_regex"),
}
_EBNF_FIELDS: dict[Kind, tuple[str, ...]] = {
    "sglang": ("ebnf",),
    "vllm": ("structured_outputs.grammar", "guided_grammar"),
    "llama.cpp": ("grammar",),
    "unknown": ("ebnf", "structured_outputs.grammar", "guided_grammar", "grammar"),
}
_TOKENS = 32


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a server can do.

    Attributes:
        server: Its kind, where it says.
        models: The models it lists.
        json_schema: Whether it keeps to a JSON Schema.
        regex: Whether it keeps to a regular expression.
        ebnf: Whether it keeps to a grammar.
        seed: Whether it takes a seed; some take one and draw as they like.
        thinking: Whether it takes ``chat_template_kwargs``, by which thinking is turned off.
        usage: Whether it counts tokens.
        cached_tokens: Whether it says how many of them its prefix cache held.
        dialect: How it wants to be asked.
    """

    server: Kind
    models: tuple[str, ...]
    json_schema: bool
    regex: bool
    ebnf: bool
    seed: bool
    thinking: bool
    usage: bool
    cached_tokens: bool
    dialect: Dialect


async def probe(ask: Ask, listing: Callable[[], Awaitable[Any]]) -> Capabilities:
    """Find out what a server can do: at most 13 requests of at most 32 tokens.

    Args:
        ask: Sends fields of the protocol and fields beside it, and returns the answer.
        listing: Returns what the server answers to ``/models``.

    Raises:
        ModelError: The server does not answer, or refuses even the plainest request.
    """
    kind, models = await _listed(listing)
    seed, template, first = await _plain(ask)
    shapes = _Shapes(ask, _SWITCH if template else {}, [first])
    json_schema = await shapes.keeps({"response_format": _FORM}, {}, re.escape(_INSTANCE))
    regex = await shapes.first_of(_REGEX_FIELDS[kind], _WORD)
    ebnf = await shapes.first_of(_EBNF_FIELDS[kind], _GRAMMAR)
    usages = [answer["usage"] for answer in shapes.answers if isinstance(answer.get("usage"), dict)]
    return Capabilities(
        server=kind,
        models=models,
        json_schema=json_schema,
        regex=regex is not None,
        ebnf=ebnf is not None,
        seed=seed,
        thinking=template,
        usage=any(tokens(usage).prompt for usage in usages),
        cached_tokens=any(isinstance(usage.get("prompt_tokens_details"), dict) for usage in usages),
        dialect=Dialect(regex=regex, ebnf=ebnf, seed=seed, template=template),
    )


@dataclass(frozen=True, slots=True)
class _Shapes:
    """Finds out which shapes a server keeps its replies to, and gathers its answers."""

    ask: Ask
    beside: dict[str, Any]
    answers: list[dict[str, Any]]

    async def keeps(self, fields: dict[str, Any], more: dict[str, Any], pattern: str) -> bool:
        answer = await _try(self.ask, {**_fields(_TOKENS), **fields}, {**self.beside, **more})
        if answer is None:
            return False
        self.answers.append(answer)
        return _obeys(answer, pattern)

    async def first_of(self, fields: tuple[str, ...], value: str) -> str | None:
        """The first field that asks for a shape and gets it."""
        for field in fields:
            if await self.keeps({}, place(field, value), _WORD):
                return field
        return None


async def _listed(listing: Callable[[], Awaitable[Any]]) -> tuple[Kind, tuple[str, ...]]:
    try:
        answer = await listing()
    except ModelError as error:
        if error.code not in {"model.refused", "model.malformed"}:
            raise
        return "unknown", ()
    data = answer.get("data") if isinstance(answer, dict) else None
    cards = [card for card in data if isinstance(card, dict)] if isinstance(data, list) else []
    owners = {str(card.get("owned_by", "")).lower() for card in cards}
    kinds: tuple[tuple[str, Kind], ...] = (("sglang", "sglang"), ("vllm", "vllm"), ("llamacpp", "llama.cpp"))
    kind: Kind = next((kind for owner, kind in kinds if owner in owners), "unknown")
    return kind, tuple(whole(card["id"]) for card in cards if isinstance(card.get("id"), str))


async def _plain(ask: Ask) -> tuple[bool, bool, dict[str, Any]]:
    """Whether a seed and the template's switch may be sent, and the answer."""
    for seed, template in ((True, True), (True, False), (False, True)):
        fields = _fields(1) | ({"seed": 0} if seed else {})
        answer = await _try(ask, fields, _SWITCH if template else {})
        if answer is not None:
            return seed, template, answer
    answer = await ask(_fields(1), {})
    return False, False, answer if isinstance(answer, dict) else {}


async def _try(ask: Ask, fields: dict[str, Any], beside: dict[str, Any]) -> dict[str, Any] | None:
    try:
        answer = await ask(fields, beside)
    except ModelError as error:
        if error.code not in {"model.refused", "model.malformed"}:
            raise
        return None
    return answer if isinstance(answer, dict) else None


def _fields(most: int) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": PROBE}], "temperature": 0, "max_tokens": most}


def _obeys(answer: dict[str, Any], pattern: str) -> bool:
    message = (first_choice(answer) or {}).get("message")
    content = message.get("content") if isinstance(message, dict) else None
    # Blanks between the parts of JSON are the model's own choice, and may use up its tokens.
    said = re.sub(r"\s+", "", content) if isinstance(content, str) else ""
    cut = said.startswith("{") and _INSTANCE.startswith(said)
    return cut or re.fullmatch(pattern, said) is not None
