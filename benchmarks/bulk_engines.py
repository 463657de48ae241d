"""Ray Data, Spark and Beam beside two plain processes: the same sentences, two workers each.

    python benchmarks/bulk_engines.py ray spark --json benchmarks/log/bulk_engines.json
    build/beam/bin/python benchmarks/bulk_engines.py beam --json benchmarks/log/bulk_engines.json

Beam's environment is that of `.ci/run`. Every round translates all sentences by two processes and by the engine in turn, from a
list to a list or, with Beam, to files. Workers start anew each time and load their model, which is in the time; the start of Ray or
Spark is not. Prints sentences a second, medians of the rounds, and the ratio to the two processes with its range. Translations that
are not those of `Translator` are counted. Then Ray and Spark translate once more, and a worker is killed halfway.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from bulk import InProcesses

from keras_attn.data.splits import split_corpus
from keras_attn.files import write_text
from keras_attn.inference.bulk import BulkTranslator
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import load_data_config

WORKERS, BATCH = 2, 1024
Work = Callable[[list[str]], list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("engines", nargs="+", choices=ENGINES)
    parser.add_argument("--model", default="tatoeba-en-es", help="a packaged model")
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="where the rows go, beside those of other engines")
    args = parser.parse_args()
    tests = str(Path(__file__).resolve().parents[1] / "tests" / "bulk")
    sys.path.append(tests)
    os.environ["PYTHONPATH"] = tests  # workers unpickle `KilledOnce` by its name
    data = load_data_config(packaged.folder(args.model))
    lines = list(dict.fromkeys(split_corpus(data, "train").source))[: args.sentences]
    expected = BulkTranslator(args.model, engine="keras", beam_size=1).translate(lines).tolist()
    options = {"folder": args.model, "engine": "litert", "beam_size": 1}
    rows = {}
    for name in args.engines:
        with ENGINES[name]() as translated:
            works = {
                "processes": lambda lines: plain(lines, options),
                name: lambda lines, run=translated: run(lines, BulkTranslator, options),
            }
            rows[name] = compared(name, works, lines, expected, args.rounds)
            if name != "beam":  # whose runner decides what happens then
                rows[name]["differ, one killed"] = killed(translated, options, lines, expected)
    print(table(rows))
    if args.json:
        known = json.loads(args.json.read_text()) if args.json.exists() else {}
        write_text(args.json, json.dumps(known | rows, indent=2) + "\n")


def compared(name: str, works: dict[str, Work], lines: list[str], expected: list[str], rounds: int) -> dict:
    """The row of an engine."""
    speeds = {each: [] for each in works}
    for _ in range(rounds):
        for each, work in works.items():
            begin = time.perf_counter()
            said = work(lines)
            speeds[each].append(len(lines) / (time.perf_counter() - begin))
    ratios = [a / b for a, b in zip(speeds[name], speeds["processes"], strict=True)]
    return {
        "sentences": len(lines),
        "per_second": statistics.median(speeds[name]),
        "processes_per_second": statistics.median(speeds["processes"]),
        "ratio": statistics.median(ratios),
        "ratio_range": [min(ratios), max(ratios)],
        "differ": differ(said, expected),
    }


def differ(said: list[str], expected: list[str]) -> int:
    return sum(a != b for a, b in zip(said, expected, strict=True))


def killed(translated: Callable, options: dict, lines: list[str], expected: list[str]) -> int:
    """How many translations differ when a worker was killed halfway."""
    from conftest import KilledOnce

    with tempfile.TemporaryDirectory() as scratch:
        mark = Path(scratch, "killed")
        said = translated(lines, KilledOnce, {**options, "mark": mark, "last_words": lines[len(lines) // 2]})
        assert mark.exists(), "no worker was killed"
    return differ(said, expected)


def plain(lines: list[str], options: dict) -> list[str]:
    return InProcesses(BulkTranslator(**options), WORKERS)(lines)


@contextmanager
def on_ray() -> Iterator[Callable]:
    import ray

    ray.init(num_cpus=WORKERS + 2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def translated(lines: list[str], kind: type[BulkTranslator], options: dict) -> list[str]:
        table = ray.data.from_items([{"number": i, "text": line} for i, line in enumerate(lines)])
        table = table.repartition(8 * WORKERS).map_batches(
            kind, fn_constructor_kwargs=options, batch_size=BATCH, concurrency=WORKERS
        )
        return in_order((row["number"], row["translation"]) for row in table.take_all())

    yield translated
    ray.shutdown()


@contextmanager
def on_spark() -> Iterator[Callable]:
    from pyspark.ml.functions import predict_batch_udf
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StringType

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master(f"local[{WORKERS},3]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "localhost")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")

    def translated(lines: list[str], kind: type[BulkTranslator], options: dict) -> list[str]:
        udf = predict_batch_udf(kind(**options).make_predict_fn, return_type=StringType(), batch_size=BATCH)
        table = session.createDataFrame(list(enumerate(lines)), ["number", "text"]).repartition(4 * WORKERS)
        return in_order(
            (row.number, row.translation) for row in table.withColumn("translation", udf("text")).collect()
        )

    yield translated
    session.stop()


@contextmanager
def on_beam() -> Iterator[Callable]:
    import apache_beam as beam
    from apache_beam.ml.inference.base import KeyedModelHandler, RunInference

    from keras_attn.inference.beam_handler import TranslationHandler

    settings = beam.options.pipeline_options.PipelineOptions(
        ["--direct_running_mode=multi_processing", f"--direct_num_workers={WORKERS}"]
    )

    def translated(lines: list[str], kind: type[BulkTranslator], options: dict) -> list[str]:
        handler = KeyedModelHandler(TranslationHandler(max_batch_size=BATCH, **options))
        with tempfile.TemporaryDirectory() as scratch:
            with beam.Pipeline("FnApiRunner", options=settings) as pipeline:
                (
                    pipeline
                    | beam.Create(list(enumerate(lines)))
                    | RunInference(handler)
                    | beam.Map(lambda result: json.dumps([result[0], result[1].inference]))
                    | beam.io.WriteToText(str(Path(scratch, "out")))
                )
            written = [line for path in Path(scratch).glob("out*") for line in path.read_text().splitlines()]
        return in_order(map(json.loads, written))

    yield translated


def in_order(numbered) -> list[str]:
    """The texts by their numbers, each of which must be there once."""
    rows = sorted(numbered, key=lambda row: row[0])
    assert [number for number, _ in rows] == list(range(len(rows)))
    return [text for _, text in rows]


ENGINES = {"ray": on_ray, "spark": on_spark, "beam": on_beam}


def table(rows: dict[str, dict]) -> str:
    """Markdown."""
    lines = [
        "| two workers of | sentences/s | two processes | ratio | differ from Keras | differ, one worker killed |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        low, high = row["ratio_range"]
        lines.append(
            f"| {name} | {row['per_second']:.0f} | {row['processes_per_second']:.0f} | {row['ratio']:.2f} ({low:.2f}-{high:.2f}) | "
            f"{row['differ']} | {row.get('differ, one killed', '')} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
