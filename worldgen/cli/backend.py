"""The options that name a world model, made into what answers in the index's place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Literal

from worldgen.errors import CallerError, did_you_mean
from worldgen.llm import Blocking, Breaker, ModelError
from worldgen.prose import Prose
from worldgen.search.world_model.backend import MAX_TOKENS, Audit, Backend, Mode, Simulation, check_instruction
from worldgen.settings import Settings

BackendName = Literal["index", "world-model"]
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model, and how it is asked; what is None is as the settings say.

    Attributes:
        url: Address of its server, up to and with ``/v1``.
        name: Its name there.
        mode: ``grounded`` or ``free``.
        attempts: Replies to one action at most.
        instructions: Names of simulation instructions.
        cache: Folder of replies; None for the settings'.
        no_cache: Whether every reply is asked for anew.
        jobs: Requests to the model at once.
        max_tokens: Of one reply at most.
        audit: Of grounded mode: ``strict`` or ``lenient``.
    """

    url: str | None = None
    name: str | None = None
    mode: Mode = "grounded"
    attempts: int = 3
    instructions: Sequence[str] = ()
    cache: Path | None = None
    no_cache: bool = False
    jobs: int = 16
    max_tokens: int = MAX_TOKENS
    audit: Audit = "strict"


def named(url: str | None, name: str | None) -> tuple[str, str]:
    """Address and name of a model, as told or as the settings say; `CallerError` where none is named."""
    settings = Settings()
    url, name = url or settings.model_url, name or settings.model_name
    if not url or not name:
        raise CallerError(
            "model.not-named",
            "a world model is asked for, and none is named",
            expected="--model-url http://host:port/v1 and --model NAME",
            fix="or set WORLDGEN_MODEL_URL and WORLDGEN_MODEL_NAME",
        )
    return url, name


def reply_folder(cache: Path | None, *, no_cache: bool) -> Path | None:
    """Where replies are kept, as told or as the settings say; None for nowhere.

    Raises:
        CallerError: The folder cannot be made or written to.
    """
    if no_cache:
        return None
    folder = (cache or Settings().model_cache).expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "it cannot be written to")
    except OSError as error:
        raise CallerError(
            "model.cache",
            f"replies cannot be kept there: {error.strerror}",
            path=folder,
            fix="name another folder with --model-cache, or keep none with --no-model-cache",
        ) from error
    return folder


def open_model(options: ModelOptions) -> Blocking:
    """The model behind its address; `CallerError` where none is named."""
    from worldgen.llm.client import ModelClient

    url, name = named(options.url, options.name)
    cache = reply_folder(options.cache, no_cache=options.no_cache)
    settings = Settings()
    breaker = Breaker(settings.model_failures, settings.model_pause, settings.model_longest_pause)
    return Blocking(ModelClient(url, name, cache=cache, concurrency=options.jobs, breaker=breaker))


def prose_of(model: str | None, url: str | None, cache: Path | None) -> Prose | None:
    """The model that rewrites a world's prose; None where none is asked for."""
    if model is None:
        if url is not None or cache is not None:
            raise CallerError(
                "model.not-used", "an option is for a model, and none is to write", expected="--prose MODEL beside it"
            )
        return None
    address, name = named(url, model)
    return Prose(name, address, cache=reply_folder(cache, no_cache=False))


def make_backend(backend: BackendName, options: ModelOptions) -> Backend | None:
    """What answers searches; None for the index."""
    if backend == "index":
        if options != ModelOptions():
            raise CallerError(
                "model.not-used",
                "an option is for a world model, and the index is to answer",
                expected="--backend world-model with --model-url and --model",
            )
        return None
    for name in options.instructions:
        check_instruction(name, options.mode)
    asks = open_model(options)
    wait_for(asks)
    simulation = Simulation(
        mode=options.mode,
        model=asks.name,
        attempts=options.attempts,
        max_tokens=options.max_tokens,
        audit=options.audit,
        instructions=tuple(options.instructions),
    )
    return Backend(simulation, asks)


def wait_for(asks: Blocking, what: str = "model") -> None:
    """Wait until the model's server lists its models, and see that the one that is named is among them.

    Args:
        asks: The model.
        what: What errors call it.

    Raises:
        CallerError: It does not in time, or has no model of that name.
    """
    until = monotonic() + _PATIENCE
    while True:
        try:
            listed = asks.models()
            break
        except ModelError as error:
            if monotonic() > until:
                raise CallerError(
                    "model.not-there",
                    f"the {what}'s server does not answer: {error.message}",
                    got=error.code,
                    fix="start it first, and give its address up to and with /v1",
                ) from error
            sleep(1)
    if listed and asks.name not in listed:
        raise CallerError(
            "model.unknown-name",
            f"the {what}'s server has no model {asks.name!r}",
            expected=" or ".join(listed[:5]),
            fix=did_you_mean(asks.name, listed),
        )
