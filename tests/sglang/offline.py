"""Run in the environment that has SGLang: a model in this process, asked once freely and once in a shape, as JSON."""

import asyncio
import json
import sys
import warnings

from worldgen.llm.model import Message, Request, Sampling, Shape
from worldgen.llm.offline import OfflineModel


async def _asked(model: OfflineModel) -> list[dict[str, object]]:
    question = (Message("user", "How many ferries are there?"),)
    sampling = Sampling(temperature=0.0, max_tokens=8, seed=None)
    replies = [
        await model.complete(Request(question, sampling)),
        await model.complete(Request(question, sampling, Shape("regex", "(yes|no)"))),
    ]
    return [{"text": reply.text, "tokens": reply.tokens, "finish": reply.finish} for reply in replies]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    made = OfflineModel(
        sys.argv[1],
        device="cpu",
        attention_backend="torch_native",
        sampling_backend="pytorch",
        dtype="float32",
        max_total_tokens=4_096,
        mem_fraction_static=0.2,
        log_level="error",
    )
    try:
        sys.stdout.write(json.dumps(asyncio.get_event_loop().run_until_complete(_asked(made))) + "\n")
    finally:
        made._engine.shutdown()
