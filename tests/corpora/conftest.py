"""A server on this machine that does what servers do: serve ranges or not, break off, lack a file."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Server(ThreadingHTTPServer):
    """Serves `files` with byte ranges; closes the connection after `break_after` bytes of a body when that is set."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.ranges: list[str | None] = []
        self.break_after: int | None = None
        self.knows_ranges = self.tells_length = True

    def url(self, name):
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.ranges.append(self.headers.get("Range"))
        data = self.server.files.get(self.path.lstrip("/"))
        if data is None:
            return self.send_error(404)
        start = 0
        if self.server.knows_ranges and self.headers.get("Range"):
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        if start >= len(data) and start:
            return self.send_error(416)
        self.send_response(206 if start else 200)
        if self.server.tells_length:
            self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        self.wfile.write(data[start:][: self.server.break_after])

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()
