"""The commands that start a model: what they say, and what they refuse to say."""

import shlex

import pytest

from worldgen.errors import CallerError
from worldgen.llm.engines import Launch, plan


def words(launch: Launch) -> list[str]:
    """The words of the one command, as a shell reads what is shown."""
    (command,) = plan(launch).commands
    assert shlex.split(command.shown().replace("\\\n", "")) == [
        *(f"{name}={value}" for name, value in command.variables.items()),
        *command.words,
    ]
    return list(command.words)


def test_what_is_shown_is_what_runs():
    said = words(Launch(model="a model's; $(folder) --x", python="python", extra=("--json", '{"a": 1}')))
    assert said[3:5] == ["--model-path", "a model's; $(folder) --x"]
    assert said[-2:] == ["--json", '{"a": 1}']


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
@pytest.mark.parametrize(
    "told",
    [
        {"model": "--foo"},
        {"model": ""},
        {"model": "a\nb"},
        {"model": "m", "served_name": "-n"},
        {"model": "m", "host": "--host"},
        {"model": "m", "host": "127.0.0.1 --api-key x"},
        {"model": "m", "reasoning_parser": "--x"},
        {"model": "m", "key": "two\nlines"},
        {"model": "m", "extra": ("stray", "--device", "cpu")},
    ],
)
def test_no_value_is_read_as_a_flag(engine, told):
    with pytest.raises(CallerError) as refused:
        plan(Launch(engine=engine, **told))
    assert refused.value.code == "model.wrong-option"


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
@pytest.mark.parametrize("word", ["--host", "--hos=0.0.0.0", "--port", "--model", "--served_model_name", "--po"])
def test_further_flags_do_not_undo_what_was_checked(engine, word):
    with pytest.raises(CallerError) as refused:
        plan(Launch(model="m", engine=engine, extra=("--device", "cpu", word, "1")))
    assert refused.value.code == "model.wrong-option"
    assert plan(Launch(model="m", engine=engine, extra=("--device", "cpu", "--hostile", "1")))


def test_an_address_open_to_others_needs_a_key_that_is_not_shown():
    with pytest.raises(CallerError) as refused:
        plan(Launch(model="m", host="0.0.0.0"))
    assert refused.value.code == "model.no-key"
    for engine in ("sglang", "vllm"):
        planned = plan(Launch(model="m", engine=engine, host="0.0.0.0", key="s3cret"))
        (command,) = planned.commands
        assert "s3cret" not in command.shown() + repr(planned)
        assert '"$WORLDGEN_MODEL_KEY"' in command.shown()
        said, variables = command.filled("s3cret")
        assert "s3cret" in [*said, *variables.values()]
    routed = plan(Launch(model="m", host="0.0.0.0", key="s3cret", replicas=2))
    assert all("--api-key \\\n" not in one.shown() and '--api-key "$WORLD' in one.shown() for one in routed.commands)


def test_remote_code_is_run_only_when_asked_for():
    for engine in ("sglang", "vllm"):
        assert "--trust-remote-code" not in words(Launch(model="m", engine=engine))
        assert "--trust-remote-code" in words(Launch(model="m", engine=engine, remote_code=True))


def test_replicas_have_ports_and_gpus_of_their_own():
    planned = plan(Launch(model="m", replicas=2, tensor_parallel=2, devices=("4", "5", "6", "7")))
    assert [one.port for one in planned.commands] == [8001, 8002, 8000]
    assert [one.variables["CUDA_VISIBLE_DEVICES"] for one in planned.servers] == ["4,5", "6,7"]
    assert planned.url == "http://127.0.0.1:8000/v1"
    with pytest.raises(CallerError):
        plan(Launch(model="m", replicas=2, devices=("0",)))
    with pytest.raises(CallerError):
        plan(Launch(model="m", replicas=2, port=65_533))
    assert plan(Launch(model="m", replicas=2, port=65_532))


def test_the_models_own_context_and_no_parser():
    said = words(Launch(model="m", context_length=0, reasoning_parser=""))
    assert not {"--context-length", "--reasoning-parser"} & set(said)
