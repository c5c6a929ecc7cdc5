"""`worldgen model fake`: a world model without a model, for trying things out."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from worldgen.search.world_model.players import PLAYERS


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


@pytest.mark.parametrize(
    ("player", "wanted"),
    [
        ("mends", "serve WORLD --backend world-model --model-url"),
        ("invents", "serve WORLD --backend world-model --mode free --model-url"),
        ("remembers", "fidelity WORLD --model-url"),
        ("compares", "--judge-model fake-compares"),
    ],
)
def test_it_says_what_the_player_is_for(player, wanted):
    process = subprocess.Popen(**command("--player", player, "--port", "0"), stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline().startswith(f"fake-{player} answers at")
        assert wanted in process.stdout.readline()
    finally:
        process.terminate()
        process.communicate(timeout=20)


@pytest.mark.parametrize("page", ["help", "world-model.md"])
def test_every_player_is_named(page):
    told = (
        subprocess.run(**command("--help"), capture_output=True, timeout=60, check=True).stdout
        if page == "help"
        else (Path(__file__).parents[2] / "docs" / page).read_text("utf-8")
    )
    assert [name for name in (*PLAYERS, "compares") if not re.search(rf"\b{name}\b", told)] == []


def test_an_unknown_player_is_one_line():
    done = subprocess.run(**command("--player", "sings"), capture_output=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.strip().endswith("[model.unknown-player]")
