"""The commands that the page about serving a model shows are those that the command prints."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "model-serving.md").read_text("utf-8")
EXAMPLES = re.findall(r"```console\n\$ (.+)\n((?:.*\n)*?)```", PAGE)


def test_the_page_has_the_commands_for_both_engines_and_several_copies():
    commands = [command for command, _ in EXAMPLES]
    assert len(commands) >= 5
    assert sum("--engine vllm" in command for command in commands) == 2
    assert sum("--replicas" in command for command in commands) == 2
    assert all(shown for _, shown in EXAMPLES)


@pytest.mark.parametrize(("command", "shown"), EXAMPLES)
def test_what_the_page_shows_is_printed(command, shown):
    variables, words = {}, shlex.split(command)
    while "=" in words[0]:
        name, _, _ = words.pop(0).partition("=")
        variables[name] = "s3cret"
    assert words.pop(0) == "worldgen"
    env = {k: v for k, v in os.environ.items() if not k.startswith("WORLDGEN_") and k != "CUDA_VISIBLE_DEVICES"}
    ran = subprocess.run(
        [sys.executable, "-m", "worldgen", *words],
        env={**env, **variables, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.replace(sys.executable, "python") == shown
