"""Stands in for SGLang's router, whose workers register one after the other; see ``listening.py``."""

import argparse
import json
import time
import urllib.request

import listening

SINCE = time.monotonic()


def answers(options: argparse.Namespace) -> dict:
    registered = options.worker_urls[: int((time.monotonic() - SINCE) / 0.5)]
    asked = urllib.request.Request(f"{options.worker_urls[0]}/v1/models")
    if options.api_key:
        asked.add_header("Authorization", f"Bearer {options.api_key}")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked) as answer:
        models = json.load(answer)
    return {
        "/workers": {"workers": [{"url": url, "is_healthy": True} for url in registered]},
        "/v1/models": models,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker-urls", nargs="*")
    listening.serve(parser, answers)
