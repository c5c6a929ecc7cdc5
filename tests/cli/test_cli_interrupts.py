"""A build that is broken off ends at once, says so in one line and leaves nothing: no folder, no process."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from worldgen.cli import INTERRUPTS, run
from worldgen.pipeline import build_world
from worldgen.store import read_manifest
from worldgen.store.place import home

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests" / "data" / "river-ferries.yaml"
ENDINGS = {signal.SIGINT: (130, "worldgen: interrupted"), signal.SIGTERM: (143, "worldgen: terminated")}
# The first word comes when Python itself is up; what it does with a signal before that is not ours.
PROGRAM = "import sys, worldgen.cli; print('up', flush=True); worldgen.cli.main()"


def start(out: Path, *words: str) -> subprocess.Popen:
    command = [sys.executable, "-c", PROGRAM, "build", str(TINY), "--seed", "2", "--out", str(out), *words]
    process = subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "up\n"
    return process


def alive(group: int) -> list[str]:
    """The command lines of the processes of a group."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[2]) == group and fields[0] != "Z":
                found.append((entry / "cmdline").read_text())
        except OSError:
            continue  # it ended meanwhile
    return found


def ends(process: subprocess.Popen, number: signal.Signals, *, whole_group: bool) -> None:
    (os.killpg if whole_group else os.kill)(process.pid, number)
    _, said = process.communicate(timeout=60)
    code, line = ENDINGS[number]
    assert process.returncode == code, said
    assert [text for text in said.splitlines() if not text.startswith("  ")] == [line]
    for _ in range(100):  # `multiprocessing` has a helper that ends when it notices
        if not alive(process.pid):
            return
        time.sleep(0.05)
    raise AssertionError(alive(process.pid))


@pytest.mark.parametrize("delay", [0.05, 0.1, 0.2, 0.35, 0.6, 1.0, 1.8])
def test_ctrl_c_at_any_moment_leaves_nothing(delay, tmp_path):
    process = start(tmp_path, "--haystack", "2000")
    time.sleep(delay)
    ends(process, signal.SIGINT, whole_group=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("more", [[], ["--count", "3", "--jobs", "2"]], ids=["one", "family"])
def test_a_folder_that_was_made_for_the_world_goes_too(more, tmp_path):
    process = start(tmp_path / "new" / "worlds", "--haystack", "2000", *more)
    for _ in range(600):
        if list(tmp_path.glob("new/worlds/.river-ferries-*.partial-*")):
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    ends(process, signal.SIGINT, whole_group=True)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_stays(tmp_path):
    out = tmp_path / "new"
    with home(out):
        (out / "note").write_text("kept")
    assert (out / "note").read_text() == "kept"


@pytest.mark.parametrize("delay", [0.1, 1.0])
def test_sigterm_leaves_nothing_either(delay, tmp_path):
    process = start(tmp_path, "--haystack", "2000")
    time.sleep(delay)
    ends(process, signal.SIGTERM, whole_group=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", ENDINGS)
def test_a_family_takes_its_workers_along(number, tmp_path):
    process = start(tmp_path, "--haystack", "2000", "--count", "3", "--jobs", "2")
    for _ in range(600):
        if list(tmp_path.glob(".river-ferries-*.partial-*")):
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    ends(process, number, whole_group=number == signal.SIGINT)
    assert list(tmp_path.iterdir()) == []


def test_workers_do_not_outlive_a_killed_parent(tmp_path):
    process = start(tmp_path, "--haystack", "20000", "--count", "3", "--jobs", "2")
    for _ in range(600):
        if list(tmp_path.glob(".river-ferries-*.partial-*")):
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.kill()
    process.communicate(timeout=60)
    for _ in range(100):
        if not alive(process.pid):
            break
        time.sleep(0.05)
    assert alive(process.pid) == []
    assert list(tmp_path.iterdir()) != []
    build_world(TINY, seed=2, out=tmp_path, haystack=0, proofs=False)
    assert not list(tmp_path.glob(".river-ferries-2.*"))


@pytest.mark.parametrize("number", ENDINGS)
@pytest.mark.parametrize("moment", ["import", "error", "success"])
def test_a_signal_that_python_would_drop_is_answered(number, moment, monkeypatch, capsys):
    """Raised in a destructor, turned into a library's error, or come too late to be noticed: still one ending."""

    class Loud:
        def __del__(self) -> None:
            signal.raise_signal(number)

    def command() -> None:
        if moment == "import":
            del loud[0]
            for _ in range(500):
                time.sleep(0.01)
            raise AssertionError("the signal was lost")
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            if moment == "error":
                raise ImportError("numpy could not be imported") from None

    loud = [Loud()] if moment == "import" else []
    monkeypatch.setattr("worldgen.cli.commands.app", command)
    before = [signal.getsignal(each) for each in ENDINGS]
    assert (run(), capsys.readouterr().err.strip()) == ENDINGS[number]
    assert [signal.getsignal(each) for each in ENDINGS] == before


def test_clearing_up_is_not_broken_off(monkeypatch):
    cleared = []

    def command() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
            cleared.append(True)

    monkeypatch.setattr("worldgen.cli.commands.app", command)
    assert run() == 130
    assert cleared == [True]


def test_a_signal_that_is_ignored_stays_ignored(monkeypatch):
    monkeypatch.setattr("worldgen.cli.commands.app", lambda: signal.raise_signal(signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert run() == 0
    finally:
        signal.signal(signal.SIGINT, before)
    assert INTERRUPTS.code is None


def test_a_world_that_was_being_replaced_comes_back(tmp_path):
    world = build_world(TINY, seed=2, out=tmp_path, haystack=0, proofs=False).path
    world.rename(tmp_path / ".river-ferries-2.replaced")  # killed between the two moves of `--force`
    again = build_world(TINY, seed=2, out=tmp_path, haystack=0, proofs=False)
    assert again.existed
    assert [path.name for path in tmp_path.iterdir()] == ["river-ferries-2"]
    assert read_manifest(world)
