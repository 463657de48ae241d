"""The small server of `make web`: its policy reaches everything, and is the one that the README shows for other servers."""

import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "export" / "web"


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "site"
    (folder / "wasm").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>")
    (folder / "worker.js").write_text("")
    (folder / "wasm" / "code.wasm").write_bytes(b"")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


@pytest.fixture
def address(site):
    server = subprocess.Popen(
        [sys.executable, WEB / "serve.py", site, "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with server:
        yield server.stdout.readline().decode().strip()
        server.terminate()


def ask(url):
    """Status and headers; this machine is asked itself, whatever proxy there is."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url) as response:
            return response.status, response.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


def policy():
    program = "import serve; print(serve.CONTENT_SECURITY_POLICY)"
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=WEB, check=True
    ).stdout.strip()


@pytest.mark.parametrize("path", ["/", "/worker.js", "/wasm/code.wasm", "/nothing.here"])
def test_every_answer_bears_the_policy(address, path):
    status, headers = ask(address + path)
    assert status == (404 if path == "/nothing.here" else 200)
    assert headers["Content-Security-Policy"] == policy()
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_web_assembly_has_its_type(address):
    assert ask(f"{address}/wasm/code.wasm")[1]["Content-Type"] == "application/wasm"


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/wasm/../../secret.txt", "//etc/passwd"]
)
def test_nothing_outside_the_site_is_served(address, path):
    assert ask(address + path)[0] == 404


def test_only_this_machine_is_served(address):
    """A server for all of a machine's addresses would answer at another one of the loopback, too."""
    port = int(address.rpartition(":")[2])
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), timeout=5)


def test_the_port_is_8000_unless_told(site):
    """The address is asked of what would listen at it, because another program may have the port."""
    program = (
        "import http.server, serve, sys\n"
        "def refuse(address, handler): raise OSError(repr(address))\n"
        "http.server.ThreadingHTTPServer = refuse\n"
        "sys.argv[0] = 'serve.py'\n"
        "serve.main()"
    )
    refused = subprocess.run(
        [sys.executable, "-c", program, site], capture_output=True, text=True, cwd=WEB
    ).stderr
    assert refused.endswith("cannot serve at port 8000: ('127.0.0.1', 8000)\n")


@pytest.mark.parametrize("arguments", [["nowhere"], [".", "0"]])
def test_a_folder_without_a_page_is_refused(arguments, tmp_path):
    command = [sys.executable, WEB / "serve.py", *arguments]
    refused = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert refused.returncode == 2
    assert "holds no page: build one with" in refused.stderr and "Traceback" not in refused.stderr


def test_a_port_that_cannot_be_had_is_refused(site, address):
    for port in (address.rpartition(":")[2], "70000"):
        refused = subprocess.run(
            [sys.executable, WEB / "serve.py", site, port], capture_output=True, text=True
        )
        assert refused.returncode == 2
        assert f"cannot serve at port {port}: " in refused.stderr and "Traceback" not in refused.stderr


def test_the_page_and_the_readme_state_the_same_policy():
    in_the_page = policy().replace("; frame-ancestors 'none'", "")  # which counts in a header only
    assert f'content="{in_the_page}"' in (WEB / "src" / "index.html").read_text()
    shown = (WEB / "README.md").read_text()
    assert shown.count(policy()) == 4  # nginx, Apache, Caddy, _headers
