"""Serves a built page on this machine, with the header that keeps every part of it, the workers too, from asking other servers.

    python3 serve.py SITE [PORT]

A policy in the page itself does not reach its workers: only a header of their own scripts does.
"""

import argparse
import functools
import http.server
import sys
from pathlib import Path

# WebAssembly is code that is made while the page runs, and nothing else may be made so.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of one folder; every answer bears the policy."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Serves a built page at http://127.0.0.1, to this machine only."
    )
    parser.add_argument("site", type=Path, help="the folder that `node build.mjs` made")
    parser.add_argument("port", type=int, nargs="?", default=8000, help="0: any that is free; default: 8000")
    arguments = parser.parse_args()
    if not (arguments.site / "index.html").is_file():
        parser.error(
            f"{arguments.site} holds no page: build one with `node build.mjs {arguments.site} EXPORT`"
        )
    handler = functools.partial(Handler, directory=str(arguments.site))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), handler)
    except (OSError, OverflowError) as error:
        parser.error(f"cannot serve at port {arguments.port}: {error}")
    with server:
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.exit(130)


if __name__ == "__main__":
    main()
