"""All speeds in one table, beside what they are compared with, in one run.

    make bench      # makes the environments of the competitors, then runs
    python benchmarks/bench.py --joeynmt build/joey/bin/python --json build/bench.json

The packaged English-Spanish model and the first sentences of Multi30k's test_2016_flickr; training on Multi30k. Each row has a
figure of ours, the figure beside it, their ratio, and the ratio that is asked. Rounds of the two take turns, figures are medians.
Takes about 25 minutes on two quiet cores. What runs meanwhile on the machine changes the figures more than anything else does.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from keras_attn.corpora.named import load_corpus

HERE = Path(__file__).parent
MODEL, ROUNDS = "tatoeba-en-es", 5
SENTENCE = "Where is the station?\n"


@dataclass(frozen=True)
class Row:
    """`ours / beside` is asked to be at least `asked`, or at most where the unit is one of time or memory."""

    work: str
    unit: str
    ours: float
    beside: float
    what: str
    asked: float | None = None

    @property
    def ratio(self) -> float:
        return self.ours / self.beside

    def __str__(self) -> str:
        limit = "at most" if self.unit in ("s", "ms", "MB") else "at least"
        asked = f"{limit} {self.asked:g}" if self.asked else ""
        figures = f"{self.ours:.4g} | {self.beside:.4g} ({self.what}) | {self.ratio:.2f} | {asked}"
        return f"| {self.work} | {self.unit} | {figures} |"


def run(*command: str | Path, given: str = "") -> str:
    """What a command prints; its errors go to the terminal."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        command, input=given, stdout=subprocess.PIPE, text=True, check=True, env=environment
    )
    return done.stdout


def program(scratch: Path, name: str, *arguments: str | Path) -> dict:
    """What a program beside this one writes as JSON."""
    run(sys.executable, HERE / name, *arguments, "--json", scratch / "found.json")
    return json.loads((scratch / "found.json").read_text(encoding="utf-8"))


def command_line() -> Iterator[Row]:
    """One sentence from the shell."""
    translate = [Path(sys.executable).with_name("keras-attn"), "translate", MODEL]
    numpy = [sys.executable, "-c", "import numpy"]
    seconds: dict[str, list[float]] = {"ours": [], "numpy": []}
    for _ in range(ROUNDS + 1):
        for name, command in (("ours", translate), ("numpy", numpy)):
            start = time.perf_counter()
            run(*command, given=SENTENCE)
            seconds[name].append(time.perf_counter() - start)
    ours, beside = (statistics.median(each[1:]) for each in seconds.values())
    yield Row("one sentence from the shell", "s", ours, beside, "importing NumPy", 7.5)


def bulk(scratch: Path, test: Path) -> Iterator[Row]:
    """Many sentences, two processes or threads."""
    engines = ("--engine", "int8", "--engine", "ctranslate2")
    for beam_size, asked in ((1, 2), (5, 1.5)):
        options = ("--processes", "2", "--beam-size", str(beam_size), *engines)
        rows = program(scratch, "bulk.py", MODEL, test, *options)["rows"]
        ours, theirs = (row["per_second"] for row in rows)
        work = f"bulk, int8, beam {beam_size}" if beam_size > 1 else "bulk, int8, greedy"
        yield Row(work, "sentences/s", ours, theirs, "CTranslate2, Transformer-Tiny, int8", asked)


def tflite(scratch: Path, test: Path) -> Iterator[Row]:
    """Files for phones, one sentence at a time, one thread."""
    kinds = {
        "float32": ["--precision", "float32"],
        "int8": ["--precision", "int8"],
        "beam": ["--precision", "int8", "--beam-size", "4"],
    }
    for name, options in kinds.items():
        export = [Path(sys.executable).with_name("keras-attn"), "export", MODEL, "--format", "litert"]
        run(*export, "--output", scratch / name, *options)
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(3):
        for name in kinds:
            found = run(sys.executable, HERE / "litert_speed.py", scratch / name / "model.tflite", test)
            times[name].append(json.loads(found)["median"])
    median = {name: statistics.median(each) for name, each in times.items()}
    yield Row("`.tflite`, int8, greedy", "ms", median["int8"], median["float32"], "float32")
    yield Row("`.tflite`, int8, beam 4", "ms", median["beam"], median["int8"], "greedy", 2.5)


def training(scratch: Path, joeynmt: Path) -> Iterator[Row]:
    """Steps of GRU-256 with additive attention."""
    found = program(scratch, "training.py")
    yield Row("training", "of the peak", found["models"]["attention"]["of_peak"], 1, "matrix product", 0.55)
    beside = program(scratch, "joeynmt_speed.py", joeynmt)
    yield Row("training", "target tokens/s", beside["keras_attn"], beside["joeynmt"], "Joey NMT", 7)
    yield Row("training, most memory", "MB", beside["mb"]["keras_attn"], beside["mb"]["joeynmt"], "Joey NMT")


def memory(test: Path) -> Iterator[Row]:
    """The most memory of bulk translation, each engine in a process of its own."""
    options = (test, "--processes", "1", "--rounds", "1", "--beam-size", "5")
    peaks = {
        engine: _peak_mb([sys.executable, HERE / "bulk.py", MODEL, *options, "--engine", engine])
        for engine in ("int8", "litert", "keras", "ctranslate2")
    }
    for engine in ("int8", "litert", "keras"):
        yield Row(
            f"bulk, beam 5, {engine}, most memory", "MB", peaks[engine], peaks["ctranslate2"], "CTranslate2"
        )


def _peak_mb(command: list[str | Path]) -> float:
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), command)
    return usage.ru_maxrss * 1024 / 1e6


def processor() -> str:
    """Its name, and the widest instructions that it has."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    names = [line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name")]
    widest = next((one for one in ("amx_bf16", "avx512_vnni", "avx512f", "avx2") if one in text), "")
    return " ".join(filter(None, (names[0] if names else platform.processor(), widest)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--joeynmt", type=Path, required=True, help="the Python of an environment with joeynmt"
    )
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows: list[Row] = []
    print("| work | unit | ours | beside it | ratio | asked |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        scratch, test = Path(name), Path(name, "test.en")
        lines = load_corpus("multi30k", "en", "de", "test").source[: args.sentences]
        test.write_text("\n".join(lines) + "\n", encoding="utf-8")
        works = (command_line(), bulk(scratch, test), tflite(scratch, test), training(scratch, args.joeynmt))
        for work in (*works, memory(test)):
            for row in work:
                rows.append(row)
                print(row, flush=True)
    load = os.getloadavg()[2]
    print(
        f"\n{os.cpu_count()} processors, {processor()}; mean load of the last quarter of an hour {load:.1f}"
    )
    if args.json:
        about = {"processors": os.cpu_count(), "processor": processor(), "load": load}
        about["rows"] = [{**asdict(row), "ratio": row.ratio} for row in rows]
        args.json.write_text(json.dumps(about, indent=2) + "\n")


if __name__ == "__main__":
    main()
