"""A local chat server with scripted answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

Answer = tuple[int, bytes]


def completion(text: str | None, logs: dict[str, float] | None = None) -> Answer:
    """Return a chat completion; `logs` are the alternatives of its first token."""
    listed = None
    if logs is not None:
        listed = {
            "content": [
                {
                    "token": "",
                    "logprob": 0.0,
                    "bytes": None,
                    "top_logprobs": [
                        {"token": t, "logprob": p, "bytes": None} for t, p in logs.items()
                    ],
                }
            ]
        }
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
        "logprobs": listed,
    }
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    return 200, json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
    ).encode()


def refusal(code: int, message: str) -> Answer:
    return code, json.dumps({"error": {"message": message}}).encode()


class Served:
    """The address of the server and the requests it received."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[dict] = []
        self.keys: list[str] = []
        self.lock = Lock()


@contextmanager
def serving(
    script: Callable[[dict, int], Answer], models: tuple[str, ...] = ("m",)
) -> Iterator[Served]:
    """Start the server; `script` gets each request and the number of earlier ones."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(
                200,
                json.dumps(
                    {
                        "object": "list",
                        "data": [
                            {"id": name, "object": "model", "created": 1, "owned_by": ""}
                            for name in models
                        ],
                    }
                ).encode(),
            )

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with served.lock:
                number = len(served.requests)
                served.requests.append(asked)
                served.keys.append(self.headers["Authorization"])
            self._send(*script(asked, number))

        def _send(self, code: int, body: bytes) -> None:
            try:
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Retry-After", "0.01")
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True  # the client has closed the connection

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Served(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
