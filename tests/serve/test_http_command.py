"""`worldgen serve` as a process: what it refuses to start, what it prints, how it ends."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest


def run(*words: str, **environment: str) -> subprocess.CompletedProcess:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("WORLDGEN_")}
    command = [sys.executable, "-m", "worldgen", "serve", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env={**clean, **environment})


def refused(done: subprocess.CompletedProcess, code: str) -> bool:
    lines = done.stderr.strip().splitlines()
    return done.returncode == 2 and len(lines) == 1 and f"[{code}]" in lines[0]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "some.example"])
def test_another_address_needs_an_agents_key(tiny_world, host):
    assert refused(run(str(tiny_world), "--host", host), "serve.no-agent-key")


def test_a_port_in_use_is_one_line(tiny_world):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert refused(run(str(tiny_world), "--port", port), "serve.address")


@pytest.mark.parametrize(
    ("words", "environment", "code"),
    [
        (["{none}"], {}, "world.not-found"),
        (["{none}/*"], {}, "serve.no-world"),
        (["{world}", "{world}"], {}, "serve.same-name"),
        (["{world}", "--profile", "no-such"], {}, "tools.unknown-profile"),
        (["{world}", "--perturb", "no-such"], {}, "perturbation.unreadable"),
        (["{world}"], {"WORLDGEN_TRAINER_KEY": "short"}, "serve.short-key"),
        (["{world}"], {"WORLDGEN_TRAINER_KEY": "the-same-1", "WORLDGEN_AGENT_KEY": "the-same-1"}, "serve.same-key"),
    ],
)
def test_what_cannot_be_served_is_one_line(tiny_world, tmp_path, words, environment, code):
    words = [word.format(world=tiny_world, none=tmp_path / "none") for word in words]
    assert refused(run(*words, "--port", "0", **environment), code)


def test_without_the_extra_it_says_what_to_install(tiny_world, tmp_path):
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError('no', name='uvicorn')\n")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    done = run(str(tiny_world), PYTHONPATH=path)
    assert refused(done, "serve.missing-extra")
    assert "pip install 'worldgen[serve]'" in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_ends_cleanly(tiny_world, serve, number, code):
    with serve(str(tiny_world.parent / "*"), "--perturb", "flaky") as served:
        id = served.start()["episode"]
        assert "flaky" in served.trainer.get(f"/episodes/{id}").json()["perturbation"]
        plain = served.start(perturbation=None)["episode"]
        assert served.trainer.get(f"/episodes/{plain}").json()["perturbation"] == ""
        assert served.nobody.get("/search?q=ferry").json()["results"]
        served.process.send_signal(number)
        assert served.process.wait(15) == code


def test_it_prints_where_what_and_how(tiny_world):
    command = [sys.executable, "-m", "worldgen", "serve", str(tiny_world), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(5)]
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=20)
    text = "".join(lines)
    assert "river-ferries-1" in text
    assert "/docs" in text
    assert "WORLDGEN_TRAINER_KEY" in text
    assert errors == ""
