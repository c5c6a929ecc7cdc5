from __future__ import annotations

import asyncio
import os
import sys
import threading
import time

import pytest

import worldgen.llm
from worldgen.errors import CallerError
from worldgen.llm import Blocking, Message, ModelError, OfflineModel, Reply, Request, Sampling, ScriptedModel, Shape
from worldgen.llm.fake import BEHAVIOURS, FakeServer, smallest

ASKED = Request((Message("user", "How many?"),))


class StandInEngine:
    """What `OfflineModel` uses of an engine."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[dict] = []
        self.closed = False
        self.tokenizer_manager = self
        self.tokenizer = self

    def apply_chat_template(self, messages, **options):
        assert options.pop("tokenize") is False
        return repr((messages, options))

    async def async_generate(self, prompt, sampling_params):
        self.asked.append({"prompt": prompt, **sampling_params})
        if sampling_params["max_new_tokens"] < 1:
            raise ValueError("no tokens")
        told = {"prompt_tokens": 4, "cached_tokens": 2, "completion_tokens": 1, "finish_reason": {"type": "length"}}
        return {"text": self.text, "meta_info": told}

    def shutdown(self):
        self.closed = True


def test_an_engine_answers_like_a_server():
    engine = StandInEngine("<think>7, 8</think>Eight.")
    with Blocking(OfflineModel("tiny", engine=engine)) as model:
        assert model.complete(ASKED) == Reply("Eight.", "7, 8", "length", "tiny", (4, 2, 1))
        model.complete(Request(ASKED.messages, shape=Shape("json_schema", {"type": "null"})))
        with pytest.raises(ModelError, match="no tokens"):
            model.complete(Request(ASKED.messages, Sampling(max_tokens=0)))
    assert engine.closed
    assert "enable_thinking" not in engine.asked[0]["prompt"]
    assert "'enable_thinking': False" in engine.asked[1]["prompt"]
    assert engine.asked[1]["json_schema"] == '{"type": "null"}'


def test_a_script_is_kept_to():
    model = ScriptedModel(["<think>7</think>Eight.", Reply("Nine."), ModelError("model.timeout", "late")])

    async def call():
        assert (await model.complete(ASKED)).text == "Eight."
        assert (await model.complete(ASKED)).text == "Nine."
        with pytest.raises(ModelError):
            await model.complete(ASKED)
        with pytest.raises(CallerError, match="script"):
            await model.complete(ASKED)

    asyncio.run(call())
    assert model.requests == [ASKED] * 4
    assert Blocking(model).name == "scripted"


@pytest.mark.skipif(not hasattr(os, "fork") or sys.version_info >= (3, 12), reason="threads and fork are warned of")
def test_a_forked_process_asks_through_a_loop_of_its_own():
    with Blocking(ScriptedModel(lambda request: "Eight.")) as model:
        model.complete(ASKED)
        child = os.fork()
        if child == 0:
            os._exit(0 if model.complete(ASKED).text == "Eight." else 1)
        deadline = time.monotonic() + 30
        while (done := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
            time.sleep(0.02)
        if done[0] == 0:
            os.kill(child, 9)
            os.waitpid(child, 0)
        assert done == (child, 0)


def test_closing_frees_those_who_wait():
    started = threading.Event()

    class Never:
        name = "never"

        async def complete(self, request):
            started.set()
            await asyncio.sleep(60)

    model, caught = Blocking(Never()), []

    def call():
        try:
            model.complete(ASKED)
        except CallerError as error:
            caught.append(error.code)

    thread = threading.Thread(target=call)
    thread.start()
    started.wait(10)
    model.close()
    thread.join(10)
    assert caught == ["model.closed"]


def test_the_shipped_behaviours_are_known_by_name():
    with pytest.raises(CallerError, match="flaky"):
        FakeServer("flacky")
    assert all(callable(make()) for make in BEHAVIOURS.values())


@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        ({"type": "array", "items": {"type": "string", "minLength": 2}, "minItems": 2}, ["xx", "xx"]),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, "a"),
        ({"type": ["boolean", "null"]}, False),
    ],
)
def test_the_smallest_instance(schema, instance):
    assert smallest(schema) == instance


def test_all_names_resolve_and_openai_is_not_needed_for_the_rest():
    import subprocess

    assert all(getattr(worldgen.llm, name) is not None for name in worldgen.llm.__all__)
    code = (
        "import sys; sys.modules['openai'] = None\n"
        "from worldgen.llm import Blocking, FakeServer, ScriptedModel\n"
        "try:\n    from worldgen.llm import ModelClient\nexcept Exception as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "pip install 'worldgen[model]'" in done.stdout
