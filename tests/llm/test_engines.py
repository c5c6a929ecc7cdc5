"""The commands that start a model: what they say, and what they refuse to say."""

import shlex
import subprocess

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


@pytest.mark.parametrize("python", ["/my env/$(touch gone)/python", "/a=b/python", "it's"])
def test_a_shell_reads_what_is_shown_as_it_is_meant(python, tmp_path):
    launch = Launch(model="$WORLDGEN_MODEL_KEY", python=python, served_name="$(x)", extra=("--zz=$(touch b)", "`c`"))
    (command,) = plan(launch).commands
    called = "printf '%s\\0' " + command.shown()
    said = subprocess.run(["sh", "-c", called], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.split("\0")[:-1] == list(command.words)
    assert list(tmp_path.iterdir()) == []
    # No printf before it: the first word itself must be the command.
    found = subprocess.run(["sh", "-c", command.shown()], cwd=tmp_path, capture_output=True, text=True)
    assert (found.returncode, python in found.stderr) == (127, True)


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_a_name_that_reads_as_the_place_of_the_key_stays(engine):
    name = "$WORLDGEN_MODEL_KEY"
    (command,) = plan(Launch(model=name, engine=engine, served_name=name, key="s3cret")).commands
    said, variables = command.filled("s3cret")
    assert (said.count(name), [*said, *variables.values()].count("s3cret")) == (2, 1)
    assert (command.shown().count(f"'{name}'"), command.shown().count(f'"{name}"')) == (2, 1)


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


@pytest.mark.parametrize(
    ("engine", "word", "instead"),
    [
        *((engine, word, word) for engine in ("sglang", "vllm") for word in ("--host", "--port", "--model")),
        *((engine, "--hos=0.0.0.0", "--host") for engine in ("sglang", "vllm")),
        *((engine, "--served_model_name", "--served-name") for engine in ("sglang", "vllm")),
        *((engine, "--tensor_parallel_size=2", "--tensor-parallel") for engine in ("sglang", "vllm")),
        *((engine, "--trust-remote-code", "--trust-remote-code") for engine in ("sglang", "vllm")),
        *((engine, "--reasoning-parser", "--reasoning-parser") for engine in ("sglang", "vllm")),
        *((engine, "--api-key", "WORLDGEN_MODEL_KEY") for engine in ("sglang", "vllm")),
        ("sglang", "--tp", "--tensor-parallel"),
        ("sglang", "--tp-size=2", "--tensor-parallel"),
        ("sglang", "--context-length=4096", "--context-length"),
        ("sglang", "--model-path", "--model"),
        ("sglang", "--enable-metrics", "leave it out"),
        *((engine, word, "one") for engine in ("sglang", "vllm") for word in ("--config", "--config=f", "--conf")),
        *(("vllm", word, "--host") for word in ("--uds", "--uds=/tmp/s", "--ud")),
        ("vllm", "-tp", "--tensor-parallel"),
        ("vllm", "-tp=2", "--tensor-parallel"),
        ("vllm", "-dp", "--replicas"),
        ("vllm", "--data-parallel-size", "--replicas"),
        ("vllm", "--max_model_len", "--context-length"),
        ("vllm", "--language-model-only", "leave it out"),
    ],
)
def test_further_flags_do_not_say_again_what_the_launcher_says(engine, word, instead):
    with pytest.raises(CallerError) as refused:
        plan(Launch(model="m", engine=engine, extra=("--device", "cpu", word, "1")))
    assert refused.value.code == "model.wrong-option"
    assert refused.value.got == word
    assert instead in refused.value.fix.split() or refused.value.fix.startswith(instead)


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
@pytest.mark.parametrize("word", ["--hostile", "--tpx", "-1", "-", "--", "--context-length-of-another", "-q"])
def test_flags_of_the_engines_own_pass(engine, word):
    assert word in words(Launch(model="m", engine=engine, extra=("--device", word)))


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


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
@pytest.mark.parametrize(
    ("model", "told", "tokens"),
    [
        ("Qwen/Qwen-AgentWorld-35B-A3B", None, "262144"),
        ("/models/qwen-agentworld-35b-a3b/", None, "262144"),
        ("Qwen/Qwen-AgentWorld-35B-A3B", 32_768, "32768"),
        ("Qwen/Qwen-AgentWorld-35B-A3B", 0, None),
        ("Qwen/Qwen3-8B", None, None),
        ("Qwen/Qwen3-8B", 4_096, "4096"),
    ],
)
def test_only_world_models_get_a_context_unasked(engine, model, told, tokens):
    flag = {"sglang": "--context-length", "vllm": "--max-model-len"}[engine]
    said = words(Launch(model=model, engine=engine, context_length=told))
    assert (said[said.index(flag) + 1] if flag in said else None) == tokens


def test_no_parser():
    assert "--reasoning-parser" not in words(Launch(model="m", reasoning_parser=""))
