"""Rule verifiers of predicted observations, on three axes that a judge is a poor judge of.

*Controllability*: a simulation instruction is followed. *Error handling*: what must fail fails, and brings no content.
*Consistency*: over many turns, the same call brings the same content, a page agrees with the snippet that led to it,
and the notebook holds what was put there. Each is a pure function of the action, the observation, what went before, and
what is expected of it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast, get_args

from worldgen.errors import CallerError, did_you_mean
from worldgen.registry import Registry
from worldgen.scoring.lwm_reward import matches_exactly

Axis = Literal["controllability", "error-handling", "consistency"]
AXES: tuple[Axis, ...] = get_args(Axis)

ENTRY = re.compile(
    r"^\[\d+\] (?P<url>\S+)\nTitle: (?P<title>.*)\nSnippet: (?P<snippet>.*)\nDate: (?P<date>.*)$", re.MULTILINE
)
_ERROR = re.compile(
    r"error|not found|no such|unknown|invalid|missing|malformed|expected|could not|cannot|unable|unreachable|failed"
    r"|denied|forbidden|unavailable|timed out|time-?out|too many|rate limit|no results"
    r"|错误|失败|无法|未找到|没有找到|不存在|无效|超时",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_EMPHASIS = re.compile(r"[*`]+")
# Chinese words stand without spaces around them.
_LETTER = r"[a-z0-9\u00df-\u02ff\u0370-\u04ff]"
_DECORATION = re.compile(r"[\s*`]+")
_LONGEST_ERROR = 600


class Call(NamedTuple):
    """An action: the tool's name and its arguments, plain JSON."""

    name: str
    arguments: Any


class Turn(NamedTuple):
    """An action that was taken, and what the environment said."""

    call: Call
    observation: str


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected of an observation: a verifier's name and what it needs to know, plain JSON."""

    verifier: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {"verifier": self.verifier, "data": dict(self.data)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verifier found; ``passed`` is None where it had nothing to go by, which counts neither way."""

    verifier: str
    axis: Axis
    passed: bool | None
    reason: str = ""


Rule = Callable[[Call, str, Sequence[Turn], Mapping[str, Any]], "bool | str | None"]
"""True where it holds, a reason where it does not, None where there is nothing to go by."""


@dataclass(frozen=True, slots=True)
class Verifier:
    """A rule with its axis and what it is for."""

    axis: Axis
    about: str
    rule: Rule


VERIFIERS: Registry[Verifier] = Registry("verifier")


def verifier(name: str, axis: Axis) -> Callable[[Rule], Rule]:
    """Register a rule as the verifier of that name; what it is for is its docstring's first line."""

    def add(rule: Rule) -> Rule:
        VERIFIERS.register(name)(Verifier(axis, (rule.__doc__ or "").split("\n")[0], rule))
        return rule

    return add


def verify(expectation: Expectation, call: Call, observation: str, history: Sequence[Turn]) -> Verdict:
    """Whether an observation is as expected.

    Args:
        expectation: What is expected.
        call: What was asked.
        observation: What the world model said, without thinking and tags.
        history: The turns before, as the environment answered them.

    Raises:
        CallerError: No such verifier, or it lacks what it needs to know.

    >>> verify(Expectation("refuses"), Call("web_extractor", {"url": "https://nowhere.example/"}), "# Home", []).passed
    False
    """
    found = VERIFIERS.get(expectation.verifier)
    outcome = found.rule(call, observation.strip(), history, expectation.data)
    reason = outcome if isinstance(outcome, str) else "nothing to go by" if outcome is None else ""
    return Verdict(expectation.verifier, found.axis, None if outcome is None else outcome is True, reason)


def read_expectation(raw: object) -> Expectation:
    """An expectation from its plain JSON.

    Raises:
        CallerError: It is not one, or of no verifier that there is.
    """
    if not isinstance(raw, Mapping) or not isinstance(raw.get("data", {}), Mapping):
        raise CallerError(
            "verifier.expectation", "this is no expectation", expected="verifier and data", got=repr(raw)[:80]
        )
    name = raw.get("verifier")
    if not isinstance(name, str) or name not in VERIFIERS:
        raise CallerError(
            "verifier.unknown",
            f"unknown verifier {name!r}",
            expected=" or ".join(VERIFIERS.names()),
            fix=did_you_mean(str(name), VERIFIERS.names()),
        )
    return Expectation(name, dict(raw.get("data", {})))


@verifier("withholds", "controllability")
def _withholds(call: Call, observation: str, history: Sequence[Turn], data: Mapping[str, Any]) -> bool | str | None:
    """None of the given texts is said, in whatever case and spacing."""
    said = _plain(observation)
    leaked = [text for text in _texts(data, "texts") if text.strip() and _says(said, observation, text)]
    return f"says {leaked[0]!r}" if leaked else True


@verifier("entries", "controllability")
def _entries(call: Call, observation: str, history: Sequence[Turn], data: Mapping[str, Any]) -> bool | str | None:
    """A result page has as many entries as told, each with address, title, snippet and date."""
    lowest, highest = _whole(data, "least"), _whole(data, "most")
    count = len(ENTRY.findall(observation))
    return True if lowest <= count <= highest else f"{count} entries, not {lowest} to {highest}"


@verifier("delivers-fault", "controllability")
def _delivers_fault(
    call: Call, observation: str, history: Sequence[Turn], data: Mapping[str, Any]
) -> bool | str | None:
    """The fault that an instruction asks for is delivered: its word is said, and no content."""
    if not any(_bare(word) in _bare(observation) for word in _texts(data, "says")):
        return "does not say what failed"
    return contentless(observation)


@verifier("undated-after", "controllability")
def _undated_after(call: Call, observation: str, history: Sequence[Turn], data: Mapping[str, Any]) -> bool | str | None:
    """No result is dated in a later year than told, where an instruction asks for stale ones."""
    latest = _whole(data, "year")
    years = [int(year) for entry in ENTRY.finditer(observation) for year in re.findall(r"\b\d{4}\b", entry["date"])]
    if not years:
        return None
    return True if max(years) <= latest else f"a result of {max(years)}"


@verifier("refuses", "error-handling")
def _refuses(call: Call, observation: str, history: Sequence[Turn], data: Mapping[str, Any]) -> bool | str | None:
    """A call that must fail brings an error and no content.

    ``says`` lists words of which one must be there; ``longest`` is how long the error may be, else 600 characters.
    """
    if "says" in data and not any(_bare(word) in _bare(observation) for word in _texts(data, "says")):
        return f"says none of {', '.join(_texts(data, 'says'))}"
    if not _ERROR.search(observation):
        return "is no error"
    return contentless(observation, _whole(data, "longest") if "longest" in data else _LONGEST_ERROR)


@verifier("repeats", "consistency")
def _repeats(call: Call, observation: str, history: Sequence[Turn], data: Mapping[str, Any]) -> bool | str | None:
    """The same call brings what it brought before."""
    before = [turn.observation for turn in history if _same(turn.call, call)]
    if not before:
        return None
    return True if matches_exactly(observation, before[-1]) else "differs from what the same call brought before"


@verifier("agrees-with-snippet", "consistency")
def _agrees(call: Call, observation: str, history: Sequence[Turn], data: Mapping[str, Any]) -> bool | str | None:
    """An opened page bears the title, the date and the numbers that its result showed before."""
    url = call.arguments.get("url") if isinstance(call.arguments, Mapping) else None
    shown = [
        entry
        for turn in history
        for entry in ENTRY.finditer(turn.observation)
        if isinstance(url, str) and entry["url"] == url
    ]
    if not shown:
        return None
    said, numbers = _bare(observation), set(_NUMBER.findall(observation))
    for entry in shown:
        if _bare(entry["title"]) not in said:
            return "lacks the title that its result showed"
        if entry["date"] not in ("", "N/A") and _bare(entry["date"]) not in said:
            return f"lacks the date {entry['date']}"
        # Where a snippet is cut, a number may be cut too.
        lost = [n for piece in entry["snippet"].split("...") for n in _NUMBER.findall(piece)[:-1] if n not in numbers]
        if lost:
            return f"lacks {lost[0]}, which its snippet states"
    return True


@verifier("remembers", "consistency")
def _remembers(call: Call, observation: str, history: Sequence[Turn], data: Mapping[str, Any]) -> bool | str | None:
    """The notebook gives the keys and values that were put there, and no others."""
    held = data.get("holds")
    if not isinstance(held, Mapping):
        raise CallerError("verifier.data", "the verifier 'remembers' needs 'holds'", expected="keys and values")
    try:
        given = json.loads(observation.split("\n")[0])
    except (ValueError, RecursionError):
        return "is no JSON object"
    if not isinstance(given, Mapping):
        return "is no JSON object"
    wrong = [key for key in {**held, **given} if key not in held or key not in given or held[key] != given[key]]
    return f"differs at key {wrong[0]!r}" if wrong else True


def contentless(observation: str, longest: int = _LONGEST_ERROR) -> bool | str:
    """Whether an observation has neither results nor a page, nor is longer than an error should be."""
    if ENTRY.search(observation) or re.search(r"^\[\d+\] https?://", observation, re.MULTILINE):
        return "brings results beside the error"
    if _HEADING.search(observation) or len(observation) > longest:
        return "brings content beside the error"
    return True


def _says(plain: str, observation: str, text: str) -> bool:
    """Whether a text is said, as words or a number of its own: 12 is not said by 2012, nor Go by Goat."""
    if _NUMBER.fullmatch(text.strip()):
        bare = text.strip().replace(",", "")
        return bare in {number.replace(",", "") for number in _NUMBER.findall(observation)}
    wanted = _plain(text)
    before = f"(?<!{_LETTER})" if re.match(_LETTER, wanted) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, wanted[-1:]) else ""
    return bool(wanted) and re.search(f"{before}{re.escape(wanted)}{after}", plain) is not None


def _plain(text: str) -> str:
    """The text in lower case without emphasis, and with single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_EMPHASIS.sub("", folded).split())


def _bare(text: str) -> str:
    """The text without case, spaces and emphasis."""
    return _DECORATION.sub("", unicodedata.normalize("NFKC", text).casefold())


def _same(one: Call, other: Call) -> bool:
    return one.name == other.name and _canonical(one.arguments) == _canonical(other.arguments)


def _canonical(arguments: Any) -> str:
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments)
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False)


def _texts(data: Mapping[str, Any], name: str) -> list[str]:
    value = [data[name]] if isinstance(data.get(name), str) else data.get(name)
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise CallerError(
            "verifier.data", f"a verifier needs {name!r}", expected="a list of texts", got=repr(value)[:80]
        )
    return cast("list[str]", value)


def _whole(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    if type(value) is not int:
        raise CallerError(
            "verifier.data", f"a verifier needs {name!r}", expected="a whole number", got=repr(value)[:80]
        )
    return value
