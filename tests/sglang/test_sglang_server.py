"""SGLang itself behind `worldgen model serve`: it serves, tells its metrics, and ends with the command."""

import httpx

NAME = "babbler"


def ask(url: str, key: str = "", **fields: object) -> dict:
    body = {"model": NAME, "messages": [{"role": "user", "content": "ferries"}], "max_tokens": 16, **fields}
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    answer = httpx.post(f"{url}/chat/completions", json=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


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


def test_replicas_behind_the_router_and_nothing_left_of_them(serve, processes):
    below, gone = processes
    with serve("--replicas", "2") as served:
        routed = served.url.removesuffix("/v1")
        workers = httpx.get(f"{routed}/workers").json()["workers"]
        assert len({worker["url"] for worker in workers}) == 2
        for number in range(4):
            assert ask(served.url, messages=[{"role": "user", "content": f"{number} ferries " * 30}])["choices"]
        left = below(served.process.pid)
        assert len(left) >= 10  # three keepers, the router, two servers, each with its scheduler and its detokenizer
        served.process.kill()
        served.process.wait(60)
        assert gone(left)
