"""Spark, with two workers on this machine."""

import os
import shutil
import sys

import pytest

from keras_attn.inference.bulk import BulkTranslator

pyspark = pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'keras-attn[spark]'")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark runs on Java, and there is none here"),
]


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2,3]")  # two workers, three attempts at each task
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "localhost")
        .config("spark.sql.execution.arrow.pyspark.fallback.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def translated(spark, lines, translator):
    """What comes out, by the number that goes in with each line."""
    from pyspark.ml.functions import predict_batch_udf
    from pyspark.sql.types import StringType

    udf = predict_batch_udf(translator.make_predict_fn, return_type=StringType(), batch_size=16)
    table = spark.createDataFrame(list(enumerate(lines)), ["number", "text"]).repartition(4)
    rows = table.withColumn("translation", udf("text")).collect()
    assert sorted(row.number for row in rows) == list(range(len(lines)))
    return [row.translation for row in sorted(rows, key=lambda row: row.number)]


def test_two_workers_say_what_keras_says_and_each_line_keeps_its_number(spark, lines, expected):
    assert translated(spark, lines, BulkTranslator("tatoeba-en-es", beam_size=1)) == expected


def test_what_a_killed_worker_was_given_is_done_again(spark, lines, expected, killed_once, tmp_path):
    mark = tmp_path / "killed"
    translator = killed_once("tatoeba-en-es", beam_size=1, mark=mark, last_words=lines[100])
    assert translated(spark, lines, translator) == expected
    assert mark.exists()
