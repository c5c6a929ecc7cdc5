"""A model's server that needs no model: OpenAI's chat API, which calls each tool once it is told to, then answers.

Run it as ``python model_server.py PORT ANSWER_FILE``; it prints a line of JSON for each request that it answers. As an
agent it calls ``web_search``, then ``web_extractor`` on the first address that it has seen, then gives the text of the
answer file. As a judge (a request without tools) it finds no two names alike.
"""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


def reply_to(request: dict[str, Any], answer: str) -> dict[str, Any]:
    """The assistant's next message."""
    if not request.get("tools"):
        return {"role": "assistant", "content": '{"mapping": {}}'}
    said = [str(message.get("content") or "") for message in request["messages"] if message["role"] == "tool"]
    if not said:
        return call("web_search", {"query": "ferry"})
    if len(said) == 1:
        return call("web_extractor", {"url": re.findall(r"https://\S+", said[0])[0]})
    return {"role": "assistant", "content": answer}


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": function}],
    }


class Handler(BaseHTTPRequestHandler):
    answer = ""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = reply_to(request, self.answer)
        tools = sorted(tool["function"]["name"] for tool in request.get("tools") or [])
        observed = [m.get("content") for m in request["messages"] if m["role"] == "tool"]
        sys.stdout.write(json.dumps({"tools": tools, "observed": observed, "reply": message}) + "\n")
        sys.stdout.flush()
        finish = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        body = {"id": "1", "object": "chat.completion", "created": 0, "model": "mock", "choices": [choice]}
        data = json.dumps({**body, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    Handler.answer = Path(sys.argv[2]).read_text("utf-8")
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
