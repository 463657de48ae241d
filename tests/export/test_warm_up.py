import pytest
import tensorflow as tf

from keras_attn.export.warm_up import prediction_log, write_warm_up

SIGNATURES = {"serving_default", "nbest", "align", "score"}


@pytest.fixture(scope="module")
def records(saved_model):
    path = saved_model[0] / "assets.extra" / "tf_serving_warmup_requests"
    return [record.numpy() for record in tf.data.TFRecordDataset(str(path))]


@pytest.fixture(scope="module")
def requests(records):
    from tensorflow_serving.apis.prediction_log_pb2 import PredictionLog

    return [PredictionLog.FromString(record).predict_log.request for record in records]


def texts(request, name="text"):
    return [text.decode() for text in tf.make_ndarray(request.inputs[name]).tolist()]


def test_every_signature_is_asked_for_sentences_one_by_one_and_together(requests):
    asked = [(request.model_spec.signature_name, len(texts(request))) for request in requests]
    assert sorted(asked) == sorted((name, size) for name in SIGNATURES for size in [1, 1, 1, 1, 4])


def test_the_sentences_are_real_ones_from_the_shortest_to_the_longest(requests, digit_pairs):
    asked = texts(requests[4])
    assert set(asked) <= set(digit_pairs[0])
    assert (len(asked[0]), len(asked[-1])) == (min(map(len, digit_pairs[0])), max(map(len, digit_pairs[0])))


def test_what_it_asks_can_be_answered(requests, signatures):
    for request in requests:
        inputs = {name: tf.constant(tf.make_ndarray(tensor)) for name, tensor in request.inputs.items()}
        answer = signatures[request.model_spec.signature_name](**inputs)
        assert {len(tensor) for tensor in answer.values()} == {len(inputs["text"])}


def test_what_is_scored_is_what_the_model_says(requests, ask):
    (together,) = (r for r in requests if r.model_spec.signature_name == "score" and len(texts(r)) == 4)
    assert texts(together, "translation") == ask("serving_default", text=texts(together))["translation"]


@pytest.mark.parametrize(
    "inputs", [{"text": ["a"]}, {"text": ["ü" * 200, ""], "translation": ["", "x" * 70000]}]
)
def test_a_request_is_encoded_as_the_servers_own_package_encodes_it(inputs):
    from tensorflow_serving.apis.prediction_log_pb2 import PredictionLog

    log = PredictionLog()
    log.predict_log.request.model_spec.signature_name = "score"
    for name, values in inputs.items():
        log.predict_log.request.inputs[name].CopyFrom(tf.make_tensor_proto(values, tf.string))
    assert prediction_log("score", inputs) == log.SerializeToString(deterministic=True)


@pytest.mark.parametrize(
    ("lengths", "asked"), [(range(1, 11), [1, 4, 7, 10]), ([9, 1, 1, 9, 9], [1, 9]), ([3], [3])]
)
def test_the_sentences_are_spread_evenly_over_all_lengths_each_once(tmp_path, lengths, asked):
    from tensorflow_serving.apis.prediction_log_pb2 import PredictionLog

    def shout(text):
        return {"translation": tf.strings.upper(text)}

    shout = tf.function(shout, input_signature=[tf.TensorSpec([None], tf.string, name="text")])
    functions = {"serving_default": shout.get_concrete_function()}
    write_warm_up(tmp_path, functions, ["a" * length for length in lengths])
    path = str(tmp_path / "assets.extra" / "tf_serving_warmup_requests")
    logs = [PredictionLog.FromString(record.numpy()) for record in tf.data.TFRecordDataset(path)]
    found = [[len(text) for text in texts(log.predict_log.request)] for log in logs]
    assert found == [*([length] for length in asked), asked]
