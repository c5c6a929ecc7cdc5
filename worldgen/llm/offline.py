"""A model in this process: SGLang's engine behind the same interface, for batches that need no server."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from worldgen.errors import ServiceError
from worldgen.llm.model import ModelError, Reply, Request, Tokens
from worldgen.thinking import split_thinking


class OfflineModel:
    """A model that `sglang.Engine` runs in this process; the engine's tokenizer applies the chat template.

    Args:
        model: Folder or name of the model.
        engine: An engine that runs already; else one is started.
        options: Passed to the engine that is started.

    Raises:
        ServiceError: SGLang is not installed.
    """

    def __init__(self, model: str, *, engine: Any = None, **options: Any) -> None:
        self.name = model
        self._engine = _start(model, options) if engine is None else engine

    async def complete(self, request: Request) -> Reply:
        """Answer a request.

        Raises:
            ModelError: The engine failed.
        """
        tokenizer = self._engine.tokenizer_manager.tokenizer
        thinking = False if request.thinking is None and request.shape is not None else request.thinking
        switch = {} if thinking is None else {"enable_thinking": thinking}
        try:
            prompt = tokenizer.apply_chat_template(
                [message._asdict() for message in request.messages],
                tokenize=False,
                add_generation_prompt=True,
                **switch,
            )
            answer = await self._engine.async_generate(prompt=prompt, sampling_params=_sampling(request))
        except (ValueError, RuntimeError) as error:
            raise ModelError("model.refused", "the engine refused the request", got=f"{error!s:.300}") from error
        told = answer["meta_info"]
        thought, rest = split_thinking(answer["text"])
        counts = (told.get(key) or 0 for key in ("prompt_tokens", "cached_tokens", "completion_tokens"))
        finish = (told.get("finish_reason") or {}).get("type", "stop")
        return Reply(text=rest, thinking=thought, finish=finish, model=self.name, tokens=Tokens(*counts))

    async def aclose(self) -> None:
        """End the engine."""
        self._engine.shutdown()


def _sampling(request: Request) -> dict[str, Any]:
    sampling, shape = request.sampling, request.shape
    found: dict[str, Any] = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_new_tokens": sampling.max_tokens,
    }
    if sampling.stop:
        found["stop"] = list(sampling.stop)
    if sampling.seed is not None:
        found["sampling_seed"] = sampling.seed
    if shape is not None:
        found[shape.kind] = json.dumps(shape.value) if shape.kind == "json_schema" else shape.value
    return found


def _start(model: str, options: dict[str, Any]) -> Any:
    try:
        sglang = import_module("sglang")
    except ImportError as error:
        raise ServiceError(
            "model.no-library", "a model in this process needs SGLang", fix="pip install 'worldgen[sglang]'"
        ) from error
    return sglang.Engine(model_path=model, **options)
