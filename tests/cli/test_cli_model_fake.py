"""`worldgen model fake`: a world model without a model, for trying things out."""

import os
import re
import signal
import subprocess
import sys

import httpx
import pytest


def command(*words):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("WORLDGEN_")}
    return {"args": [sys.executable, "-m", "worldgen", "model", "fake", *words], "env": clean, "text": True}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_it_plays_until_it_is_told_to_end(number, code):
    process = subprocess.Popen(**command("--player", "babbles", "--port", "0"), stdout=subprocess.PIPE)
    try:
        url = re.search(r"http://\S+/v1", process.stdout.readline())[0]
        assert "--backend world-model --model-url" in process.stdout.readline()
        body = {"model": "fake", "messages": [{"role": "user", "content": "hello"}]}
        reply = httpx.post(f"{url}/chat/completions", json=body, trust_env=False, timeout=20).json()
        assert "Paris" in reply["choices"][0]["message"]["content"]
    finally:
        process.send_signal(number)
        process.communicate(timeout=20)
    assert process.returncode == code


def test_an_unknown_player_is_one_line():
    done = subprocess.run(**command("--player", "sings"), capture_output=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.strip().endswith("[model.unknown-player]")
