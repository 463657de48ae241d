"""Asks a keras-attn model in TensorFlow Serving, without keras_attn, over REST or gRPC.

    python client.py localhost:8501 en-de "A small dog runs."
    python client.py localhost:8501 en-de --signature nbest "A small dog runs."
    python client.py localhost:8501 en-de --signature score "A small dog runs." --translation "Ein kleiner Hund rennt."
    python client.py localhost:8500 en-de --grpc "A small dog runs."

A line of JSON comes out for each text; without texts, each line of standard input is one. REST takes Python's standard library
alone, gRPC `pip install tensorflow-serving-api`, which brings TensorFlow with it. As a module:

    rows(ask_rest("localhost:8501", "en-de", {"text": ["A small dog runs."]}, "align"))
"""

import argparse
import http.client
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

NO_HYPOTHESIS = -1e9  # the score of a place of an n-best list that the search did not fill


class ServerError(Exception):
    """The server refused, could not be reached, or is none that serves keras-attn's models."""


def ask_rest(
    server: str,
    model: str,
    inputs: dict[str, list[str]],
    signature: str = "serving_default",
    timeout: float = 60.0,
) -> dict[str, list]:
    """Asks over REST.

    Args:
        server: host and REST port, such as `localhost:8501`.
        model: its name on the server.
        inputs: texts by the name of the signature's input, all equally many.
        signature: `serving_default`, `nbest`, `align` or `score`.
        timeout: seconds to wait.

    Returns:
        Nested lists by the name of the signature's output, one item a text.

    Raises:
        ServerError: the server refused, there was none, or its answer is no such thing.
    """
    url = f"http://{server}/v1/models/{urllib.parse.quote(model)}:predict"
    try:
        request = urllib.request.Request(
            url, rest_request(inputs, signature), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return rest_answer(response.read())
    except urllib.error.HTTPError as error:
        raise ServerError(_rest_error(error.read()) or str(error)) from None
    except http.client.IncompleteRead:
        raise ServerError(f"the answer from {url} ended before its time: ask again") from None
    # The last two are of host names and ports that cannot be.
    except (OSError, http.client.HTTPException, ValueError, OverflowError) as error:
        reason = str(error) or type(error).__name__
        raise ServerError(f"no answer from {url}: {reason}. Give host:port, such as localhost:8501") from None


def rest_request(inputs: dict[str, list[str]], signature: str = "serving_default") -> bytes:
    """The body of a request, in TensorFlow Serving's column format."""
    return json.dumps({"signature_name": signature, "inputs": inputs}).encode()


def rest_answer(body: bytes) -> dict[str, list]:
    """The outputs in the body of an answer.

    Raises:
        ServerError: it holds none.
    """
    try:
        outputs = json.loads(body)["outputs"]
    except (ValueError, KeyError, TypeError, RecursionError):
        outputs = None
    if isinstance(outputs, dict) and all(isinstance(values, list) for values in outputs.values()):
        return outputs
    begins = body[:40].decode(errors="replace")
    raise ServerError(
        f"expected JSON with outputs, got {begins!r}: is this the REST port of a TensorFlow Serving?"
    )


def ask_grpc(
    server: str,
    model: str,
    inputs: dict[str, list[str]],
    signature: str = "serving_default",
    timeout: float = 60.0,
) -> dict[str, list]:
    """Asks over gRPC, on a port such as `localhost:8500`; everything else is as in `ask_rest`."""
    try:
        import grpc
        from tensorflow_serving.apis.prediction_service_pb2_grpc import PredictionServiceStub
    except ImportError:
        raise ServerError(
            "gRPC needs a package that is not installed: pip install tensorflow-serving-api"
        ) from None

    unlimited = [("grpc.max_receive_message_length", -1)]  # attention weights soon exceed gRPC's 4 MB
    with grpc.insecure_channel(server, unlimited) as channel:
        try:
            request = grpc_request(model, inputs, signature)
            return grpc_answer(PredictionServiceStub(channel).Predict(request, timeout))
        except grpc.RpcError as error:
            raise ServerError(f"{error.code().name}: {error.details()}") from None


def grpc_request(model: str, inputs: dict[str, list[str]], signature: str = "serving_default") -> Any:
    """A `PredictRequest`."""
    import tensorflow as tf
    from tensorflow_serving.apis.predict_pb2 import PredictRequest

    request = PredictRequest()
    request.model_spec.name = model
    request.model_spec.signature_name = signature
    for name, texts in inputs.items():
        request.inputs[name].CopyFrom(tf.make_tensor_proto(texts, tf.string))
    return request


def grpc_answer(response: Any) -> dict[str, list]:
    """The outputs of a `PredictResponse`, as `rest_answer` gives them."""
    import tensorflow as tf

    return {name: _decoded(tf.make_ndarray(tensor).tolist()) for name, tensor in response.outputs.items()}


def rows(answer: dict[str, list]) -> list[dict[str, Any]]:
    """An answer text by text, without what only fills its tensors up.

    Raises:
        ServerError: it is not what a signature of keras-attn's models gives.
    """
    try:
        return [
            _without_filling(dict(zip(answer, row, strict=True)))
            for row in zip(*answer.values(), strict=True)
        ]
    except (ValueError, KeyError, TypeError):
        raise ServerError(
            f"cannot make sense of the outputs {', '.join(answer)}: another kind of model?"
        ) from None


def _without_filling(row: dict[str, Any]) -> dict[str, Any]:
    if "scores" in row:
        count = sum(score > NO_HYPOTHESIS for score in row["scores"])
        return {**row, "translations": row["translations"][:count], "scores": row["scores"][:count]}
    if "weights" in row:
        source, target = (
            [token for token in row[f"{side}_tokens"] if token] for side in ("source", "target")
        )
        weights = [weights[: len(source)] for weights in row["weights"][: len(target)]]
        return {**row, "source_tokens": source, "target_tokens": target, "weights": weights}
    if "token_log_probs" in row:
        return {**row, "token_log_probs": row["token_log_probs"][: row["tokens"]]}
    return row


def _decoded(values: Any) -> Any:
    if isinstance(values, list):
        return [_decoded(value) for value in values]
    return values.decode() if isinstance(values, bytes) else values


def _rest_error(body: bytes) -> str | None:
    try:
        return str(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _lines_of_stdin() -> list[str]:
    if sys.stdin is None:  # closed
        return []
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    return [line.removesuffix("\n") for line in sys.stdin]


def _readable(texts: list[str]) -> list[str]:
    """Bytes that are no UTF-8, which Python reads as lone surrogates, become question marks."""
    return [text.encode(errors="replace").decode() for text in texts]


def _one_line(message: str) -> str:
    """A message for a terminal, which must not do what a server's text tells it to."""
    return "".join(each if each.isprintable() else "\ufffd" for each in " ".join(message.split()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Asks a keras-attn model in TensorFlow Serving. A line of JSON comes out for each text."
    )
    parser.add_argument("server", help="host:port; REST is mostly 8501, gRPC 8500")
    parser.add_argument("model", help="its name on the server")
    parser.add_argument("text", nargs="*", help="default: the lines of standard input")
    parser.add_argument("--translation", nargs="*", default=[], help="of each text, for --signature score")
    parser.add_argument(
        "--signature", choices=["serving_default", "nbest", "align", "score"], default="serving_default"
    )
    parser.add_argument("--grpc", action="store_true")
    args = parser.parse_intermixed_args()  # texts may stand behind options
    inputs = {"text": _readable(args.text or _lines_of_stdin())}
    if args.signature == "score":
        inputs["translation"] = _readable(args.translation)
        if len(args.translation) != len(inputs["text"]):
            parser.error("--signature score needs a --translation for each text")
    if not inputs["text"]:
        return
    try:
        answer = (ask_grpc if args.grpc else ask_rest)(args.server, args.model, inputs, args.signature)
        found = rows(answer)
        if len(found) != len(inputs["text"]):
            raise ServerError(
                f"expected {len(inputs['text'])} translations, got {len(found)}: another kind of model?"
            )
        sys.stdout.reconfigure(encoding="utf-8")
        for row in found:
            print(json.dumps(row, ensure_ascii=False), flush=True)
    # Nobody reads the answers any more; Python itself would complain of it while it ends.
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except ServerError as error:
        print(f"Error: {_one_line(str(error))}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
