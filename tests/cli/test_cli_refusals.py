"""What the system refuses, a full disk, a folder to read only, an output that takes no more, is one clear line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests" / "data" / "river-ferries.yaml"
APART = ["unshare", "--user", "--map-root-user", "--mount"]


def call(*words: str, shell: str = "") -> subprocess.CompletedProcess[str]:
    """The command line; with a shell's preparations, in a space of mounts of its own."""
    command = [sys.executable, "-m", "worldgen", *words]
    if shell:
        command = [*APART, "sh", "-ec", f'{shell}; exec "$@"', "sh", *command]
    return subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def mounts() -> None:
    trial = [*APART, "mount", "-t", "tmpfs", "none", "/mnt"]
    if shutil.which("unshare") is None or subprocess.run(trial, check=False, capture_output=True).returncode:
        pytest.skip("file systems cannot be mounted here")


def one_line(done: subprocess.CompletedProcess[str], *codes: str) -> None:
    said = [line for line in done.stderr.splitlines() if not line.startswith("  ")]
    assert (done.returncode, len(said)) == (2, 1), done.stderr
    assert said[0].endswith(tuple(f"[{code}]" for code in codes))


@pytest.mark.parametrize("kilobytes", [64, 1_000, 2_500])
@pytest.mark.usefixtures("mounts")
def test_a_full_disk_ends_a_build_and_leaves_nothing(kilobytes, tmp_path):
    # The shell stays, to list what is left.
    shell = f'mount -t tmpfs -o size={kilobytes}k none {tmp_path}; "$@" && exit; code=$?; ls -A {tmp_path}; exit $code'
    done = call("build", str(TINY), "--out", str(tmp_path), "--haystack", "300", "--no-proofs", shell=shell)
    one_line(done, "build.disk-full", "build.cannot-write", "search.index-write")
    assert done.stdout == ""


@pytest.mark.parametrize("place", ["", "/below"])
@pytest.mark.usefixtures("mounts")
def test_a_folder_to_read_only_takes_no_world(place, tmp_path):
    command = ["build", str(TINY), "--out", f"{tmp_path}{place}", "--haystack", "0"]
    one_line(call(*command, shell=f"mount -t tmpfs -o ro none {tmp_path}"), "build.cannot-write")


@pytest.mark.parametrize("state", ["ro", "full"])
@pytest.mark.usefixtures("mounts")
def test_a_world_is_searched_where_its_index_cannot_be_kept(state, tiny_world, tmp_path):
    full = f"head -c 64M /dev/zero > {tmp_path}/fill 2>/dev/null || true"
    copy = f"mount -t tmpfs -o size=16m none {tmp_path}; cp -r {tiny_world}/. {tmp_path}; rm -r {tmp_path}/index"
    shell = f"{copy}; {full if state == 'full' else f'mount -o remount,ro {tmp_path}'}"
    kept = call("search", str(tiny_world), "ferry landing", "--json")
    done = call("search", str(tmp_path), "ferry landing", "--json", shell=shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == kept.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("words", [["show"], ["search", "ferry"], ["check", "--json"], ["show", "--json"]])
def test_an_output_that_takes_no_more_is_told(words, tiny_world):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "worldgen", words[0], str(tiny_world), *words[1:]],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    one_line(done, "cli.refused")


def test_a_reader_that_stops_reading_is_no_error(tiny_world):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "worldgen", "show", str(tiny_world)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_no_profile_can_be_opened_where_webs_are_invented(run, tiny_world):
    words = ["serve", str(tiny_world), "--backend", "world-model", "--mode", "free", "--profile", "search"]
    code, _, told = run(*words, "--model-url", "http://127.0.0.1:9/v1", "--model", "m")
    assert code == 2
    assert "expected --profile none, or no --profile; got --profile search (leave --profile out" in told
    assert told.endswith("[serve.profile]\n")
