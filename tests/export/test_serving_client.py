"""The client for TensorFlow Serving, against the SavedModel behind a small server of the same REST and gRPC interface.

The server itself cannot be installed by a test. What stands in for it does with a request what the server's documentation says, and
nothing else: the signature's inputs as tensors, its outputs as an answer.
"""

import contextlib
import http.server
import importlib.util
import json
import os
import socket
import socketserver
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

ROOT = Path(__file__).parents[2]
SERVING = ROOT / "export" / "serving"
TEXT = ["3 1 4", "", "1 5"]


@pytest.fixture(autouse=True)
def no_proxy_between(monkeypatch):
    monkeypatch.setenv("no_proxy", "localhost")


def module_at(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def client():
    return module_at(SERVING / "client.py")


@pytest.fixture(scope="module")
def hostile_text():
    """A hundred strings with the names of their kinds: every kind, long ones too."""
    return module_at(ROOT / "benchmarks" / "shared" / "hostile_text.py").inputs(100)


@pytest.fixture(scope="module")
def asked(ask):
    """Of every signature, inputs and the answer they should get."""
    inputs = {name: {"text": TEXT} for name in ("serving_default", "nbest", "align")}
    inputs["score"] = {"text": TEXT, "translation": ["three", "", "one five"]}
    return {name: (given, ask(name, **given)) for name, given in inputs.items()}


@pytest.fixture(scope="module")
def rest_server(signatures):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path != "/v1/models/digits:predict":
                return self.send(404, {"error": f"Servable not found for request: Latest({self.path})"})
            try:
                inputs = {key: tf.constant(value, tf.string) for key, value in body["inputs"].items()}
                found = signatures[body.get("signature_name", "serving_default")](**inputs)
            except (KeyError, tf.errors.InvalidArgumentError) as error:
                return self.send(400, {"error": str(error)})
            return self.send(200, {"outputs": {key: as_lists(tensor) for key, tensor in found.items()}})

        def send(self, status, content):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("localhost", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def grpc_server(signatures):
    import grpc
    from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

    class Service(prediction_service_pb2_grpc.PredictionServiceServicer):
        def Predict(self, request, context):
            if request.model_spec.name != "digits":
                context.abort(grpc.StatusCode.NOT_FOUND, "Servable not found for request")
            inputs = {key: tf.constant(tf.make_ndarray(tensor)) for key, tensor in request.inputs.items()}
            response = predict_pb2.PredictResponse()
            for key, tensor in signatures[request.model_spec.signature_name](**inputs).items():
                response.outputs[key].CopyFrom(tf.make_tensor_proto(tensor.numpy()))
            return response

    server = grpc.server(ThreadPoolExecutor(2))
    prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(Service(), server)
    port = server.add_insecure_port("localhost:0")
    server.start()
    yield f"localhost:{port}"
    server.stop(None)


def as_lists(tensor):
    values = tensor.numpy()
    return (np.char.decode(values.astype(bytes)) if values.dtype == object else values).tolist()


def assert_same(answer, expected):
    assert answer.keys() == expected.keys()
    for key, values in expected.items():
        if isinstance(values, list):
            assert answer[key] == values
        else:
            np.testing.assert_allclose(np.reshape(answer[key], values.shape), values, atol=1e-4)


@pytest.mark.parametrize("name", ["serving_default", "nbest", "align", "score"])
def test_a_rest_request_is_what_the_signature_takes(client, signatures, asked, name):
    body = json.loads(client.rest_request(asked[name][0], name))
    assert body["signature_name"] == name
    specs = signatures[name].structured_input_signature[1]
    assert body["inputs"].keys() == specs.keys()
    for key, spec in specs.items():
        assert spec.is_compatible_with(tf.constant(body["inputs"][key]))


@pytest.mark.parametrize("name", ["serving_default", "nbest", "align", "score"])
def test_a_grpc_request_survives_the_wire_and_gets_the_same_answer(client, signatures, asked, name):
    from tensorflow_serving.apis.predict_pb2 import PredictRequest

    given, expected = asked[name]
    request = PredictRequest.FromString(client.grpc_request("digits", given, name).SerializeToString())
    assert (request.model_spec.name, request.model_spec.signature_name) == ("digits", name)
    inputs = {key: tf.constant(tf.make_ndarray(tensor)) for key, tensor in request.inputs.items()}
    found = signatures[name](**inputs)
    assert_same({key: as_lists(tensor) for key, tensor in found.items()}, expected)


@pytest.mark.parametrize("name", ["serving_default", "nbest", "align", "score"])
def test_rest_and_grpc_bring_the_models_answer(client, rest_server, grpc_server, asked, name):
    given, expected = asked[name]
    assert_same(client.ask_rest(rest_server, "digits", given, name), expected)
    assert_same(client.ask_grpc(grpc_server, "digits", given, name), expected)


def test_hostile_text_comes_through_both_protocols(client, rest_server, grpc_server, ask, hostile_text):
    for kind, text in hostile_text:
        given = {"text": [text.decode(errors="replace")]}
        for server, send in ((rest_server, client.ask_rest), (grpc_server, client.ask_grpc)):
            assert (
                send(server, "digits", given)["translation"] == ask("serving_default", **given)["translation"]
            ), kind


def test_rows_hold_nothing_that_only_fills_up(client, ask):
    whole, nothing, _ = client.rows(ask("align", text=TEXT))
    assert whole["source_tokens"][-1] == whole["target_tokens"][-1] == "</s>"
    assert np.shape(whole["weights"]) == (len(whole["target_tokens"]), len(whole["source_tokens"]))
    assert nothing["source_tokens"] == nothing["target_tokens"] == nothing["weights"] == []
    assert client.rows(ask("nbest", text=[""])) == [{"translations": [""], "scores": [0]}]
    scores = {
        "log_prob": [-3.0, -1.0],
        "tokens": [3, 1],
        "token_log_probs": [[-1.0, -1.5, -0.5], [-1.0, 0.0, 0.0]],
    }
    assert [row["token_log_probs"] for row in client.rows(scores)] == [[-1.0, -1.5, -0.5], [-1.0]]


def test_what_the_server_refuses_comes_with_its_reason(client, rest_server, grpc_server):
    with pytest.raises(client.ServerError, match="Servable not found"):
        client.ask_rest(rest_server, "other", {"text": ["3"]})
    with pytest.raises(client.ServerError, match="NOT_FOUND: Servable not found"):
        client.ask_grpc(grpc_server, "other", {"text": ["3"]})
    with pytest.raises(client.ServerError, match="expected one translation per text"):
        client.ask_rest(rest_server, "digits", {"text": ["3"], "translation": ["a", "b"]}, "score")


def test_a_server_that_is_not_there_is_no_traceback(client):
    with pytest.raises(
        client.ServerError, match=r"no answer from http://localhost:9/v1/models/digits:predict"
    ):
        client.ask_rest("localhost:9", "digits", {"text": ["3"]})
    with pytest.raises(client.ServerError, match="UNAVAILABLE"):
        client.ask_grpc("localhost:9", "digits", {"text": ["3"]}, timeout=5)


@pytest.fixture
def silent_server():
    """A server that takes a call and says nothing; it hangs up after ten seconds, so that nobody waits for ever."""
    with socket.create_server(("localhost", 0)) as server:
        server.settimeout(10)
        calls = []

        def wait():
            with contextlib.suppress(OSError):
                calls.append(server.accept()[0])
                calls[0].settimeout(10)
                while calls[0].recv(1 << 16):
                    pass
            for call in calls:
                call.close()

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        yield f"localhost:{server.getsockname()[1]}"


def test_a_server_that_says_nothing_is_waited_for_as_long_as_was_said(client, silent_server):
    with pytest.raises(client.ServerError, match=r"no answer from http://localhost.*timed out"):
        client.ask_rest(silent_server, "digits", {"text": ["3"]}, timeout=0.2)


def test_a_grpc_server_that_says_nothing_is_waited_for_as_long_as_was_said(client, silent_server):
    with pytest.raises(client.ServerError, match="DEADLINE_EXCEEDED"):
        client.ask_grpc(silent_server, "digits", {"text": ["3"]}, timeout=0.5)


def test_the_name_of_a_model_is_one_part_of_the_address(client, rest_server):
    with pytest.raises(client.ServerError, match=r"Latest\(/v1/models/my%20model%3F:predict\)"):
        client.ask_rest(rest_server, "my model?", {"text": ["3"]})


def test_a_place_of_the_n_best_that_is_empty_is_left_out_of_its_row_alone(client):
    answer = {"translations": [["a", "b"], ["c", ""]], "scores": [[-1.0, -2.0], [-3.0, -1e9]]}
    assert client.rows(answer) == [
        {"translations": ["a", "b"], "scores": [-1.0, -2.0]},
        {"translations": ["c"], "scores": [-3.0]},
    ]


def run(*arguments, stdin=b""):
    command = [sys.executable, "-I", str(SERVING / "client.py"), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True)


def test_the_command_line_prints_a_line_of_json_a_text(rest_server, ask):
    result = run(rest_server, "digits", stdin=b"3 1 4\n\n1 5\n")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["translation"] for row in rows] == ask("serving_default", text=TEXT)["translation"]


def test_a_line_ends_at_a_newline_alone(rest_server, ask):
    result = run(rest_server, "digits", stdin=b"3 1\r4\n1 5\r\n")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    expected = ask("serving_default", text=["3 1\r4", "1 5\r"])["translation"]
    assert [row["translation"] for row in rows] == expected


def test_the_command_line_scores_over_grpc(grpc_server, ask):
    result = run(grpc_server, "digits", "3 1", "--grpc", "--signature", "score", "--translation", "three one")
    expected = ask("score", text=["3 1"], translation=["three one"])
    found, count = json.loads(result.stdout), expected["tokens"][0]
    assert found == {
        "log_prob": pytest.approx(expected["log_prob"][0], abs=1e-4),
        "tokens": count,
        "token_log_probs": pytest.approx(list(expected["token_log_probs"][0][:count]), abs=1e-4),
    }


def test_bytes_that_are_no_text_are_asked_as_question_marks(rest_server, ask):
    result = run(rest_server, "digits", stdin=b"3 \xff 1\n")
    assert (
        json.loads(result.stdout)["translation"] == ask("serving_default", text=["3 ? 1"])["translation"][0]
    )


def test_letters_of_any_language_are_printed_as_they_are(answering):
    result = run(answering(answer('{"outputs": {"translation": ["größer ☃"]}}'.encode())), "digits", "3")
    assert result.stdout.decode() == '{"translation": "größer ☃"}\n'


def test_letters_of_any_language_are_printed_where_python_would_write_another_encoding(answering):
    server = answering(answer('{"outputs": {"translation": ["łódź"]}}'.encode()))
    command = [sys.executable, str(SERVING / "client.py"), server, "digits", "3"]
    written = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    assert written.stdout.decode() == '{"translation": "łódź"}\n'


def test_texts_may_stand_behind_options(rest_server, ask):
    result = run(rest_server, "digits", "--signature", "nbest", "3 1 4", "1 5")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    expected = ask("nbest", text=["3 1 4", "1 5"])["translations"]
    assert [row["translations"][0] for row in rows] == [best for best, *_ in expected]


def test_mistakes_on_the_command_line_are_told_in_a_line(rest_server):
    missing = run(rest_server, "digits", "3 1", "--signature", "score")
    assert missing.returncode == 2 and b"needs a --translation for each text" in missing.stderr
    wrong = run(rest_server, "other", "3 1")
    assert wrong.returncode == 2 and wrong.stderr.startswith(b"Error: Servable not found")


def error_line(result):
    """What a mistake must come to: one line on stderr, nothing on stdout, exit code 2."""
    assert (result.returncode, result.stdout) == (2, b"")
    (line,) = result.stderr.decode().splitlines()
    assert line.startswith("Error: ") and line.isprintable()
    return line


@pytest.fixture
def answering():
    """`answering(bytes)`: the address of a server that says just this to whatever it is asked, and hangs up."""
    servers = []

    def answering(raw):
        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                length = 0
                while (line := self.rfile.readline()).strip():
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.partition(b":")[2])
                self.rfile.read(length)
                self.wfile.write(raw)

        server = socketserver.ThreadingTCPServer(("localhost", 0), Handler)
        threading.Thread(target=server.serve_forever).start()
        servers.append(server)
        return f"localhost:{server.server_address[1]}"

    yield answering
    for server in servers:
        server.shutdown()
        server.server_close()


def answer(body, status=b"200 OK", length=None):
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, length or len(body), body)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (answer(b"<!doctype html><title>\x1b[2JHello"), "expected JSON with outputs, got '<!doctype html>"),
        (answer(b"[]"), "expected JSON with outputs, got '[]'"),
        (answer(b"null"), "expected JSON with outputs, got 'null'"),
        (answer(b""), "expected JSON with outputs, got ''"),
        (answer(b"[" * 100_000), "expected JSON with outputs"),
        (answer(b'{"outputs": 7}'), "expected JSON with outputs"),
        (answer(b'{"outputs": {"translation": 7}}'), "expected JSON with outputs"),
        (answer(b'{"outputs": {}}'), "expected 1 translations, got 0"),
        (answer(b'{"outputs": {"translation": ["a", "b"]}}'), "expected 1 translations, got 2"),
        (
            answer(b'{"outputs": {"translation": ["a"], "score": []}}'),
            "cannot make sense of the outputs translation, score",
        ),
        (answer(b'{"outputs": {"scores": [7]}}'), "cannot make sense of the outputs scores"),
        (answer(b'{"outputs": {"translation"', length=500), "ended before its time"),
        (answer(b'{"error": "no\\u001b[2J\\nsuch model"}', b"404 Not Found"), "no\ufffd[2J such model"),
        (answer(b"<html>", b"502 Bad Gateway"), "HTTP Error 502"),
        (b"\x00\x00\x12\x04\x00", "no answer from http://localhost:"),
        (b"", "no answer from http://localhost:"),
    ],
    ids=range(16),
)
def test_an_answer_that_is_none_is_one_line(answering, raw, expected):
    assert expected in error_line(run(answering(raw), "digits", "3 1"))


@pytest.mark.parametrize(
    "server",
    [
        "localhost:port",
        "localhost:99999",
        "localhost:-1",
        "localhost:9",
        "",
        ":",
        "no such host:8501",
        "a" * 300,
        "http://localhost",
    ],
)
def test_a_server_that_cannot_be_is_one_line(server):
    assert "no answer from http://" in error_line(run(server, "digits", "3 1"))


@pytest.mark.parametrize("server", ["localhost:port", "localhost:9", ""])
def test_a_grpc_server_that_cannot_be_is_told_after_what_tensorflow_says(server):
    result = run(server, "digits", "3 1", "--grpc")
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.splitlines()[-1].startswith(b"Error: ") and b"Traceback" not in result.stderr


def test_no_text_is_nothing_to_ask(answering):
    assert run("localhost:9", "digits").returncode == 0
    command = f"exec '{sys.executable}' client.py localhost:9 digits <&-"
    closed = subprocess.run(["sh", "-c", command], capture_output=True, cwd=SERVING)
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, b"", b"")


def test_the_servers_configuration_names_the_folder_that_the_readme_exports_to():
    from google.protobuf import text_format
    from tensorflow_serving.config.model_server_config_pb2 import ModelServerConfig

    config = text_format.Parse((SERVING / "models.config").read_text(), ModelServerConfig())
    (model,) = config.model_config_list.config
    assert (model.name, model.base_path, model.model_platform) == ("en-de", "/models/en-de", "tensorflow")
    readme = (SERVING / "README.md").read_text()
    assert "--output models/en-de/1" in readme and '-v "$PWD/models:/models"' in readme


def test_batches_are_large_enough_for_the_warm_up():
    lines = (SERVING / "batching.config").read_text().splitlines()
    values = {line.split()[0]: int(line.split()[3]) for line in lines if not line.startswith("#")}
    assert values.keys() == {
        "max_batch_size",
        "batch_timeout_micros",
        "max_enqueued_batches",
        "num_batch_threads",
    }
    assert values["max_batch_size"] >= 4  # a refused warm-up request would keep the server from starting
