"""A server that behaves like an engine as it starts: what it does is said by the variable STAND_IN.

``ready`` serves after a moment, ``dies`` says why and exits 3, ``hangs`` takes connections and never answers,
``deaf`` serves and does not end on SIGTERM, ``child`` has a child in its group that does not either, ``fails`` serves
and exits 4 a moment later. Its process id goes into the folder STAND_IN_FOLDER, with what it was started with.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(120)"


def serve(parser: argparse.ArgumentParser, answers) -> None:
    """Serve ``answers(options)``, JSON by path; `/v1/…` asks for the key, where there is one."""
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument("--api-key", default=os.environ.get("VLLM_API_KEY"))
    options, _ = parser.parse_known_args()
    does = os.environ.get("STAND_IN", "ready")
    note(os.getpid(), does)
    sys.stdout.write(f"loading the model, {does}\n")
    sys.stdout.flush()
    if does == "dies":
        sys.exit("there is no such model")
    if does in ("deaf", "child"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN if does == "deaf" else signal.SIG_DFL)
    if does == "child":
        note(subprocess.Popen([sys.executable, "-c", DEAF]).pid, does)
    if does == "fails":
        threading.Timer(1.5, os._exit, [4]).start()
    since = time.monotonic()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            while does == "hangs":
                time.sleep(1)
            known = answers(options)
            asked = f"Bearer {options.api_key}"
            if time.monotonic() - since < 0.4:
                self.answer(503, {})
            elif self.path not in known:
                self.answer(404, {})
            elif self.path.startswith("/v1") and options.api_key and self.headers["Authorization"] != asked:
                self.answer(401, {})
            else:
                self.answer(200, known[self.path])

        def answer(self, status: int, value: dict) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    ThreadingHTTPServer((options.host, options.port), Handler).serve_forever()


def models(options: argparse.Namespace) -> dict:
    return {"data": [{"id": options.served_model_name or options.model}]}


def note(pid: int, does: str) -> None:
    told = {"pid": pid, "does": does, "words": sys.argv[1:], "devices": os.environ.get("CUDA_VISIBLE_DEVICES")}
    told["hub"] = {name: value for name, value in os.environ.items() if name.endswith("_USE_MODELSCOPE")}
    partial = Path(os.environ["STAND_IN_FOLDER"]) / f"{pid}.partial"
    partial.write_text(json.dumps(told))
    partial.rename(partial.with_suffix(".json"))
