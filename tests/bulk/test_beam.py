"""Apache Beam, with two worker processes on this machine."""

import json
import os
from collections import Counter

import pytest

beam = pytest.importorskip("apache_beam", reason="Beam is not installed: pip install 'keras-attn[beam]'")
pytestmark = pytest.mark.slow


def translated(lines, scratch, **batching):
    """By number: the text, and the process that translated it."""
    from apache_beam.ml.inference.base import KeyedModelHandler, RunInference

    from keras_attn.inference.beam_handler import TranslationHandler

    handler = KeyedModelHandler(TranslationHandler("tatoeba-en-es", beam_size=1, **batching))
    options = beam.options.pipeline_options.PipelineOptions(
        ["--direct_running_mode=multi_processing", "--direct_num_workers=2"]
    )
    with beam.Pipeline("FnApiRunner", options=options) as pipeline:
        (
            pipeline
            | beam.Create(list(enumerate(lines)))
            | RunInference(handler)
            | beam.Map(lambda result: json.dumps([result[0], result[1].inference, os.getpid()]))
            | beam.io.WriteToText(str(scratch / "out"))
        )
    rows = [json.loads(line) for path in scratch.glob("out*") for line in path.read_text().splitlines()]
    assert sorted(number for number, *_ in rows) == list(range(len(lines)))
    return sorted(rows)


def test_two_workers_each_take_a_share_and_say_what_keras_says(lines, expected, tmp_path):
    rows = translated(lines, tmp_path, max_batch_size=32)
    assert [text for _, text, _ in rows] == expected
    shares = Counter(process for *_, process in rows).values()
    assert len(shares) == 2 and min(shares) >= len(lines) // 3


def test_lines_of_several_bundles_wait_for_each_other_and_keep_their_keys(lines, expected, tmp_path):
    rows = translated(lines, tmp_path, max_batch_size=32, max_batch_duration_secs=1)
    assert [text for _, text, _ in rows] == expected


def test_lines_that_wait_for_each_other_are_of_about_equal_length():
    from keras_attn.inference.beam_handler import TranslationHandler

    about = TranslationHandler("tatoeba-en-es", max_batch_duration_secs=1).batch_elements_kwargs()
    assert about["length_fn"]("four") == 4 and about["bucket_boundaries"][0] == 32
