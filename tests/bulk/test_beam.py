"""Apache Beam, with two worker processes on this machine."""

import pytest

beam = pytest.importorskip("apache_beam", reason="Beam is not installed: pip install 'keras-attn[beam]'")
pytestmark = pytest.mark.slow


def test_two_workers_say_what_keras_says_and_each_line_keeps_its_key(lines, expected, tmp_path):
    from apache_beam.ml.inference.base import KeyedModelHandler, RunInference

    from keras_attn.inference.beam_handler import TranslationHandler

    handler = KeyedModelHandler(
        TranslationHandler("tatoeba-en-es", beam_size=1, max_batch_size=32, max_batch_duration_secs=1)
    )
    options = beam.options.pipeline_options.PipelineOptions(
        ["--direct_running_mode=multi_processing", "--direct_num_workers=2"]
    )
    with beam.Pipeline("BundleBasedDirectRunner", options=options) as pipeline:
        (
            pipeline
            | beam.Create(list(enumerate(lines)))
            | RunInference(handler)
            | beam.Map(lambda result: f"{result[0]}\t{result[1].inference}")
            | beam.io.WriteToText(str(tmp_path / "out"))
        )
    rows = [line.split("\t") for path in tmp_path.glob("out*") for line in path.read_text().splitlines()]
    assert sorted(int(number) for number, _ in rows) == list(range(len(lines)))
    assert [text for _, text in sorted(rows, key=lambda row: int(row[0]))] == expected


def test_lines_of_about_equal_length_are_a_batch():
    from keras_attn.inference.beam_handler import TranslationHandler

    about = TranslationHandler("tatoeba-en-es").batch_elements_kwargs()
    assert about["length_fn"]("four") == 4 and about["bucket_boundaries"][0] == 32
