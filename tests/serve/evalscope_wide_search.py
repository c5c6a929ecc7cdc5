"""EvalScope's ``wide_search`` on the first task of a folder, with the tools of an MCP endpoint.

Run it with a Python that has ``evalscope[mcp]`` 1.14 and dateparser:

    python evalscope_wide_search.py TASKS MCP_URL MODEL_URL OUT
"""

import sys


def main() -> None:
    from evalscope import TaskConfig, run_task

    tasks, tools, model, out = sys.argv[1:]
    run_task(
        TaskConfig(
            model="mock",
            api_url=model,
            api_key="none",
            eval_type="openai_api",
            datasets=["wide_search"],
            dataset_args={"wide_search": {"local_path": tasks}},
            limit=1,
            work_dir=out,
            judge={"models": [{"model_id": "mock", "api_url": model, "api_key": "none"}]},
            agent_config={"mode": "native", "max_steps": 5, "mcp_servers": [{"type": "http", "url": tools}]},
        )
    )


if __name__ == "__main__":
    main()
