"""The examples in the docs run as they stand there."""

import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / name).read_text("utf-8"), re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl")
@pytest.mark.parametrize("name", ["serve-http.md", "rest-api.md", "site.md"])
def test_the_curl_examples_answer(open_server, name):
    found = blocks(name, "bash")
    assert found
    script = "set -e\n" + "".join(found).replace("curl -s", "curl --fail -sS")
    environment = {"URL": open_server.url, "PATH": "/usr/local/bin:/usr/bin:/bin"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert '"error"' not in done.stdout


def test_the_python_example_runs_an_episode_and_the_loop_answers(open_server):
    episode_code, loop_code = blocks("serve-http.md", "python")
    # The docs name no proxy; a test must not ask one for a loopback address.
    episode_code = episode_code.replace("base_url=URL", "base_url=URL, trust_env=False")
    names = {"URL": open_server.url, "TRAINER_KEY": open_server.trainer.headers["authorization"].split()[1]}
    exec(episode_code, names)
    assert names["seen"].json()["text"].startswith("Error: 504")  # the first call of that seed meets a fault
    assert names["trajectory"]["steps"][0]["faults"] == ["timeout"]
    assert names["reward"]["value"] == 0.0
    assert len(names["trajectory"]["steps"]) == 1
    exec(loop_code, names)
    begun = open_server.start(task=open_server.task())
    act = names["act_in"](names["agent"], begun["episode"])
    replies = [[("web_search", '{"query": "ferry"}'), ("web_search", "{")], []]
    texts: list[str] = []

    def complete(messages, tools):
        assert tools == begun["tools"]
        texts[:] = [message["content"] for message in messages if message["role"] == "tool"]
        calls = [
            SimpleNamespace(id=str(n), function=SimpleNamespace(name=name, arguments=arguments))
            for n, (name, arguments) in enumerate(replies.pop(0))
        ]
        message = SimpleNamespace(content="done", tool_calls=calls)
        message.model_dump = lambda exclude_none: {"role": "assistant"}
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])

    assert names["answer"](complete, begun["question"], begun["tools"], act) == "done"
    assert texts[0].startswith("[1] https://")
    assert texts[1].startswith("Error: ")
    names["agent"].close()
    names["trainer"].close()


def test_the_typed_tools_are_callables(tiny_world):
    names = {"WORLD": tiny_world}
    (code,) = blocks("rest-api.md", "python")
    exec(code, names)
    assert [item["seats"] for item in names["page"]["items"]] == sorted(
        (item["seats"] for item in names["page"]["items"]), reverse=True
    )
