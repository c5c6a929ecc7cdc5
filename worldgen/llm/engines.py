"""Which command starts a language model: the launchers of SGLang and vLLM, told in one set of words.

`plan` makes the commands and starts nothing; `worldgen.llm.launch` runs what it made. How each engine wants to be told
is data, in ``engines.yaml``.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

from worldgen.address import bracketed, is_loopback
from worldgen.errors import CallerError

KEY = "$WORLDGEN_MODEL_KEY"
ROUTER = "sglang_router"
EngineName = Literal["sglang", "vllm"]
Hub = Literal["huggingface", "modelscope"]
_DEVICES = "CUDA_VISIBLE_DEVICES"
_HOST = re.compile(r"[0-9A-Za-z][0-9A-Za-z.-]*|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*")
_LAST_PORT = 65_535
# Of models whose own default is too short or too long for world models: tokens of prompt and reply, by part of a name.
_CONTEXT = {"qwen-agentworld": 262_144}
# What is told here in another way than by an option of the same name.
_TOLD_BY = {"key": "WORLDGEN_MODEL_KEY", "remote_code": "--trust-remote-code"}


@dataclass(frozen=True, slots=True)
class Engine:
    """How an engine is started.

    Attributes:
        package: What its interpreter must be able to import.
        install: What ``pip install`` is told where it cannot.
        start: Words after the interpreter; the model, or the router's workers, follow.
        flags: Its words for ours.
        also: Further words that it takes for the same, short and long; nobody may say again what the launcher says.
        always: What every model here is served with.
        never: Words of its own that would undo what the launcher answers for: what to do in their place.
        ready: Path that answers 200 once it serves.
        modelscope: Variable that has it download from ModelScope.
        key_variable: Variable it takes its API key from, where it has one; else the key is a flag.
    """

    package: str
    install: str
    start: tuple[str, ...]
    flags: Mapping[str, str]
    also: Mapping[str, tuple[str, ...]]
    always: tuple[str, ...]
    never: Mapping[str, str]
    ready: str
    modelscope: str = ""
    key_variable: str = ""

    def words(self) -> dict[str, str]:
        """All words of its own by which it is told what the launcher tells it → what that is."""
        words = {word: what for what, word in self.flags.items()}
        words |= {word: what for what, more in self.also.items() for word in more}
        return words | {word: "" for word in self.always}


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What is to be served, and how.

    Attributes:
        model: Name on the hub, or a folder.
        engine: ``sglang`` or ``vllm``.
        hub: Where a name is downloaded from.
        python: Interpreter that has the engine.
        host: Address to listen on; any but the machine's own needs a key.
        port: Its port.
        tensor_parallel: GPUs that share one copy of the model.
        context_length: Tokens of prompt and reply; 0 leaves it to the engine, None as well but for models that
            are known to want another.
        reasoning_parser: What tells thinking from the reply; empty for models that do not think aloud.
        replicas: Copies of the model behind the one address.
        served_name: What requests call the model; its own name by default.
        remote_code: Whether Python code that comes with the model is run.
        key: What requests must present.
        extra: Further flags, for the engine itself.
        devices: The GPUs there are, by number, where not all may be used.
    """

    model: str
    engine: EngineName = "sglang"
    hub: Hub = "huggingface"
    python: str = sys.executable
    host: str = "127.0.0.1"
    port: int = 8_000
    tensor_parallel: int = 1
    context_length: int | None = None
    reasoning_parser: str = "qwen3"
    replicas: int = 1
    served_name: str = ""
    remote_code: bool = False
    key: str | None = field(default=None, repr=False)
    extra: tuple[str, ...] = ()
    devices: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """What requests call the model."""
        return self.served_name or self.model

    @property
    def context(self) -> int:
        """Tokens of prompt and reply; 0 where the engine decides."""
        if self.context_length is not None:
            return self.context_length
        return next((tokens for part, tokens in _CONTEXT.items() if part in self.model.casefold()), 0)


@dataclass(frozen=True, slots=True)
class Command:
    """One process to start.

    Attributes:
        engine: What it is.
        words: The command, without the key.
        variables: What is set in its environment beside what is there.
        host: Where it listens.
        port: Its port.
        keyed: Whether it is told a key: by a variable where the engine has one for it, else by the last flag.
    """

    engine: Engine
    words: tuple[str, ...]
    variables: Mapping[str, str]
    host: str
    port: int
    keyed: bool = False

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{bracketed(self.host)}:{self.port}"

    def shown(self) -> str:
        """The command for a shell, a flag a line; the key is told by its variable."""
        variables = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items()]
        if self.keyed and self.engine.key_variable:
            variables.append(f'{self.engine.key_variable}="{KEY}"')
        lines = [" ".join([*variables, _program(self.words[0])])]
        for word in self.words[1:]:
            if word.startswith("--"):
                lines.append(shlex.quote(word))
            else:
                lines[-1] += f" {shlex.quote(word)}"
        if self.keyed and not self.engine.key_variable:
            lines.append(f'{self.engine.flags["key"]} "{KEY}"')
        return " \\\n  ".join(lines)

    def filled(self, key: str | None) -> tuple[list[str], dict[str, str]]:
        """The words and the variables, with the key in its place."""
        words, variables = list(self.words), dict(self.variables)
        if self.keyed and key is not None:
            if self.engine.key_variable:
                variables[self.engine.key_variable] = key
            else:
                words += [self.engine.flags["key"], key]
        return words, variables


@dataclass(frozen=True, slots=True)
class Plan:
    """What serves a model: one server or several, and the router before those.

    Attributes:
        servers: The engines.
        router: What spreads requests over them, where there are several.
        name: What requests call the model.
        key: What they must present.
    """

    servers: tuple[Command, ...]
    router: Command | None
    name: str
    key: str | None = field(default=None, repr=False)

    @property
    def commands(self) -> tuple[Command, ...]:
        """All of them, in the order they start."""
        return self.servers if self.router is None else (*self.servers, self.router)

    @property
    def url(self) -> str:
        """What clients are told."""
        return f"{self.commands[-1].url}/v1"


@cache
def engines() -> dict[str, Engine]:
    """The engines there are, by name.

    >>> sorted(engines())
    ['sglang', 'sglang_router', 'vllm']
    """
    told = yaml.safe_load(files("worldgen.llm").joinpath("engines.yaml").read_text("utf-8"))
    return {
        name: Engine(
            **{
                **fields,
                "start": tuple(fields["start"]),
                "also": {what: tuple(words) for what, words in fields.get("also", {}).items()},
                "always": tuple(fields["always"]),
            }
        )
        for name, fields in told.items()
    }


def plan(launch: Launch) -> Plan:
    r"""The commands that serve a model.

    SGLang's replicas are servers of their own on the ports that follow, with GPUs of their own, behind its router;
    vLLM keeps its replicas itself.

    Raises:
        CallerError: A word that an engine would read as a flag, a flag that undoes what the launcher answers for, an
            address open to others without a key, or more GPUs than there are.

    >>> print(plan(Launch(model="Qwen/Qwen3-8B", python="python", engine="vllm")).servers[0].shown())
    python -m vllm.entrypoints.cli.main serve Qwen/Qwen3-8B \
      --host 127.0.0.1 \
      --port 8000 \
      --tensor-parallel-size 1 \
      --reasoning-parser qwen3 \
      --language-model-only \
      --enable-prompt-tokens-details
    """
    engine = engines()[launch.engine]
    _check(launch, engine)
    if launch.replicas == 1 or "replicas" in engine.flags:
        return Plan((_server(launch, engine),), None, launch.name, launch.key)
    if launch.port + launch.replicas + 1 > _LAST_PORT:
        raise _wrong("--port", "one that leaves room for the replicas' ports after it", str(launch.port))
    copies = [replace(launch, host="127.0.0.1", port=launch.port + number) for number in range(1, launch.replicas + 1)]
    servers = tuple(_server(copy, engine, {_DEVICES: _share(launch, number)}) for number, copy in enumerate(copies))
    return Plan(servers, _router(launch, servers), launch.name, launch.key)


def _server(launch: Launch, engine: Engine, variables: Mapping[str, str] | None = None) -> Command:
    told: dict[str, object] = {
        "host": launch.host,
        "port": launch.port,
        "tensor_parallel": launch.tensor_parallel,
        "replicas": launch.replicas if launch.replicas > 1 else "",
        "context_length": launch.context or "",
        "reasoning_parser": launch.reasoning_parser,
        "served_name": launch.served_name,
    }
    words = [launch.python, *engine.start, launch.model, *_flags(engine, told), *engine.always]
    if launch.remote_code:
        words.append(engine.flags["remote_code"])
    hub = {engine.modelscope: "true"} if launch.hub == "modelscope" else {}
    words += launch.extra
    return Command(engine, tuple(words), {**hub, **(variables or {})}, launch.host, launch.port, launch.key is not None)


def _router(launch: Launch, servers: Sequence[Command]) -> Command:
    engine = engines()[ROUTER]
    told = {
        "host": launch.host,
        "port": launch.port,
        "metrics_host": "127.0.0.1",  # its own default is every address of the machine
        "metrics_port": launch.port + launch.replicas + 1,
    }
    words = [launch.python, *engine.start, *(server.url for server in servers), *engine.always, *_flags(engine, told)]
    return Command(engine, tuple(words), {}, launch.host, launch.port, launch.key is not None)


def _flags(engine: Engine, told: Mapping[str, object]) -> list[str]:
    given = [(engine.flags[name], str(value)) for name, value in told.items() if name in engine.flags and value != ""]
    return [word for pair in given for word in pair]


def _share(launch: Launch, number: int) -> str:
    each = launch.tensor_parallel
    there = launch.devices if launch.devices is not None else tuple(map(str, range(launch.replicas * each)))
    if len(there) < launch.replicas * each:
        raise _wrong("GPUs", f"{launch.replicas} × {each} in {_DEVICES}", ",".join(there) or "none")
    return ",".join(there[number * each : (number + 1) * each])


def _check(launch: Launch, engine: Engine) -> None:
    for what, value in (("--model", launch.model), ("--served-name", launch.name)):
        if value.startswith("-") or not value.strip() or not value.isprintable():
            raise _wrong(what, "a name or a path (a folder called so is ./-…)", repr(value))
    if launch.reasoning_parser and not re.fullmatch(r"[0-9A-Za-z][\w.-]*", launch.reasoning_parser):
        raise _wrong("--reasoning-parser", "a name", repr(launch.reasoning_parser))
    if not _HOST.fullmatch(launch.host):
        raise _wrong("--host", "a name or a number of an address", repr(launch.host))
    _check_extra(launch.extra, engine)
    if launch.key is not None and not re.fullmatch(r"[!-~]+", launch.key):
        raise _wrong("WORLDGEN_MODEL_KEY", "letters, digits and signs of ASCII", "others")
    if launch.key is None and not is_loopback(launch.host):
        raise CallerError(
            "model.no-key",
            f"{launch.host} is reached from outside, and the model would need no key",
            fix="set WORLDGEN_MODEL_KEY, or serve on 127.0.0.1",
        )


def _check_extra(extra: Sequence[str], engine: Engine) -> None:
    """Refuse words that are no flag's, and flags that say again what the launcher says."""
    if extra and not extra[0].startswith("-"):
        raise _wrong("after --", "flags of the engine", repr(extra[0]))
    for word in extra:
        name = word.split("=", 1)[0].replace("_", "-")
        if not name.strip("-"):
            continue  # a lone dash is a value
        # The engines take a flag that is cut short.
        for flag, fix in engine.never.items():
            if flag.startswith(name):
                raise _wrong("after --", "flags that worldgen can see and answer for", word, fix)
        ours = {what for flag, what in engine.words().items() if flag.startswith(name)}
        if ours:
            options = sorted(_TOLD_BY.get(what, f"--{what.replace('_', '-')}") for what in ours if what)
            fix = f"use {' or '.join(options)} in its place" if options else "leave it out: it is always set"
            raise _wrong("after --", "flags that worldgen does not set itself", word, fix)


def _wrong(what: str, expected: str, got: str, fix: str | None = None) -> CallerError:
    return CallerError("model.wrong-option", f"{what} cannot be used as it is", expected=expected, got=got, fix=fix)


def _program(word: str) -> str:
    """A command's first word for a shell, which would take one with = in it for a variable."""
    quoted = shlex.quote(word)
    return f"'{word}'" if quoted == word and "=" in word else quoted


def visible_devices() -> tuple[str, ...] | None:
    """The GPUs that ``CUDA_VISIBLE_DEVICES`` leaves, None where it says nothing."""
    told = os.environ.get(_DEVICES)
    return None if told is None else tuple(part.strip() for part in told.split(",") if part.strip())
