"""SGLang itself behind `worldgen model serve`: it serves, tells its metrics, and ends with the command."""

import os
import signal
import subprocess
import time
from pathlib import Path

import httpx
import pytest

NAME = "babbler"


def ask(url: str, key: str = "", **fields: object) -> dict:
    body = {"model": NAME, "messages": [{"role": "user", "content": "ferries"}], "max_tokens": 16, **fields}
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    answer = httpx.post(f"{url}/chat/completions", json=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def below(pid: int) -> list[int]:
    """The processes that descend from this one."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def gone(pids: list[int]) -> bool:
    for _ in range(300):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.1)
    return False


def test_it_says_what_it_serves_and_counts_it(sglang_url):
    assert [card["id"] for card in httpx.get(f"{sglang_url}/models").json()["data"]] == [NAME]
    usage = ask(sglang_url)["usage"]
    assert usage["completion_tokens"] > 0
    metrics = httpx.get(sglang_url.removesuffix("/v1") + "/metrics")
    assert metrics.status_code == 200
    counted = [line for line in metrics.text.splitlines() if line.startswith("sglang:prompt_tokens_total{")]
    assert float(counted[0].rsplit(" ", 1)[1]) >= usage["prompt_tokens"]


def test_a_shape_holds_from_the_start_only_where_thinking_is_off(sglang_url):
    off = {"enable_thinking": False}
    said = ask(sglang_url, regex="[0-9]{4}", chat_template_kwargs=off)["choices"][0]["message"]
    assert len(said["content"]) == 4
    assert said["content"].isdigit()
    thought = ask(sglang_url, regex="[0-9]{4}")["choices"][0]["message"]
    assert thought["reasoning_content"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_it(number, serve):
    with serve() as served:
        left = below(served.process.pid)
        assert len(left) >= 4  # the keeper, the server, its scheduler, its detokenizer
        served.process.send_signal(number)
        code = served.process.wait(60)
    assert code == (143 if number == signal.SIGTERM else -number)
    assert gone(left), subprocess.run(["ps", "-f", *map(str, left)], capture_output=True, text=True).stdout


def test_replicas_behind_the_router(serve, monkeypatch):
    with serve("--replicas", "2") as served:
        routed = served.url.removesuffix("/v1")
        workers = httpx.get(f"{routed}/workers").json()["workers"]
        assert len({worker["url"] for worker in workers}) == 2
        for number in range(4):
            assert ask(served.url, messages=[{"role": "user", "content": f"{number} ferries " * 30}])["choices"]
    assert os.path.getsize(served.log)
