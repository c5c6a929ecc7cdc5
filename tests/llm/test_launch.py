"""`worldgen model serve` with engines that stand in: ready, dying, hanging; whatever ends it, nothing is left."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STAND_INS = Path(__file__).parent / "stand_ins"


class Launched:
    """A `worldgen model serve` that runs, and the processes that its engines said they are."""

    def __init__(self, folder: Path, *words: str, does: str = "ready", **variables: str) -> None:
        self.folder = folder
        env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("WORLDGEN_")},
            "PYTHONPATH": f"{ROOT}{os.pathsep}{STAND_INS}",
            "STAND_IN": does,
            "STAND_IN_FOLDER": str(folder),
            **variables,
        }
        command = [sys.executable, "-m", "worldgen", "model", "serve", "--model", "org/tiny", *words]
        self.process = subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def ready(self) -> str:
        """What it printed until it served."""
        said = ""
        for line in self.process.stdout:
            said += line
            if " fidelity " in line:
                return said
        raise AssertionError(said + self.process.stderr.read())

    def engines(self, count: int = 1) -> list[dict]:
        for _ in range(200):
            found = [json.loads(path.read_text()) for path in sorted(self.folder.glob("*.json"))]
            if len(found) >= count:
                return found
            time.sleep(0.1)
        raise AssertionError(f"{len(found)} engines, {self.process.poll()}")

    def ended(self) -> tuple[int, str]:
        """Its exit code and the errors it printed, once it and all its engines are gone."""
        _, said = self.process.communicate(timeout=60)
        for path in self.folder.glob("*.json"):
            pid = int(path.stem)
            for _ in range(200):
                if not alive(pid):
                    break
                time.sleep(0.1)
            assert not alive(pid), path.read_text()
        return self.process.returncode, said


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


@pytest.fixture
def launched(tmp_path):
    started = []

    def start(*words: str, does: str = "ready", **variables: str) -> Launched:
        port = () if "--port" in words else ("--port", "0")
        started.append(Launched(tmp_path, *port, *words, does=does, **variables))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_it_serves_until_it_is_told_to_end(engine, launched):
    running = launched("--engine", engine, "--hub", "modelscope", "--served-name", "wm")
    said = running.ready()
    (started,) = running.engines()
    assert started["hub"] == {f"{engine.upper()}_USE_MODELSCOPE": "true"}
    assert all(word in said for word in started["words"])
    assert "worldgen serve WORLD --backend world-model --model-url http://127.0.0.1:" in said
    assert said.count("/v1 --model wm\n") == 2
    running.process.send_signal(signal.SIGTERM)
    code, errors = running.ended()
    assert (code, errors.splitlines()) == (143, ["loading the model, ready", "worldgen: terminated"])


@pytest.mark.parametrize("does", ["ready", "child", "deaf", "hangs"])
def test_ctrl_c_leaves_nothing(does, launched):
    running = launched(does=does)
    running.engines(2 if does == "child" else 1)
    if does != "hangs":
        running.ready()
    os.killpg(running.process.pid, signal.SIGINT)
    code, errors = running.ended()
    assert code == 130, errors


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what lives")
@pytest.mark.parametrize("does", ["ready", "child", "deaf"])
def test_its_own_death_leaves_nothing(does, launched):
    running = launched(does=does)
    running.engines(2 if does == "child" else 1)
    running.ready()
    running.process.kill()
    assert running.ended()[0] == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what lives")
@pytest.mark.parametrize("does", ["deaf", "child"])
def test_the_death_of_a_keeper_ends_all(does, launched):
    running = launched(does=does)
    running.ready()
    pids = {one["pid"] for one in running.engines(2 if does == "child" else 1)}
    (keeper,) = {parent(pid) for pid in pids} - pids
    assert keeper != running.process.pid
    os.kill(keeper, signal.SIGKILL)
    code, errors = running.ended()
    assert (code, "model.engine-ended" in errors) == (1, True)


@pytest.mark.parametrize(("does", "exited"), [("dies", 1), ("fails", 4)])
def test_an_engine_that_dies_says_why(does, exited, launched):
    running = launched(does=does)
    code, errors = running.ended()
    assert code == 1
    told = errors.split("worldgen: ")[1]
    assert told.startswith(f"sglang ended with exit code {exited}; its last lines:\n  loading the model, {does}\n")
    assert ("there is no such model" in told) == (does == "dies")
    assert told.endswith("[model.engine-ended]\n")


def test_an_engine_that_never_serves_is_given_up(launched):
    code, errors = launched("--ready-timeout", "1.5", does="hangs").ended()
    assert (code, "[model.not-ready]" in errors) == (1, True)


def test_replicas_stand_behind_a_router(launched):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = launched("--replicas", "2", "--port", str(port), WORLDGEN_MODEL_KEY="s3cret", http_proxy="http://[::1]:9")
    said = running.ready()
    assert "s3cret" not in said
    assert f"WORLDGEN_MODEL_KEY=… worldgen serve WORLD --backend world-model --model-url http://127.0.0.1:{port}" in (
        said.replace("python -m worldgen", "worldgen")
    )
    started = running.engines(3)
    (router,) = (one for one in started if "--worker-urls" in one["words"])
    assert all(one["words"][-2:] == ["--api-key", "s3cret"] for one in started)
    assert router["words"][1:3] == [f"http://127.0.0.1:{port + 1}", f"http://127.0.0.1:{port + 2}"]
    assert {one["devices"] for one in started if one is not router} == {"0", "1"}
    running.process.terminate()
    code, errors = running.ended()
    assert (code, "s3cret" in errors) == (143, False)


def refused(running: Launched, code: str) -> str:
    exited, errors = running.ended()
    assert exited == 2, errors
    assert errors.endswith(f"[{code}]\n")
    assert list(running.folder.glob("*.json")) == []
    return errors


def test_a_port_that_is_taken_is_refused(launched):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused(launched("--port", str(taken.getsockname()[1])), "model.address")


def test_an_interpreter_without_the_engine_is_refused(launched):
    errors = refused(launched(PYTHONPATH=str(ROOT)), "model.no-engine")
    assert "pip install 'worldgen[sglang]'" in errors
    refused(launched("--python", "/nowhere/python"), "model.no-python")


def test_a_dry_run_needs_no_engine(launched):
    running = launched("--dry-run", "--python", "/nowhere/python", PYTHONPATH=str(ROOT))
    said, errors = running.process.communicate(timeout=60)
    assert (running.process.returncode, errors) == (0, "")
    assert said.startswith("/nowhere/python -m sglang.launch_server \\\n  --model-path org/tiny \\\n")
