"""What training and search do on an accelerator: tokens per second, operations against the peak, launches, compile time, memory.

    python benchmarks/accelerator.py --write ids.npz              # with the whole package; KERAS_ATTN_DATA, or the download cache
    KERAS_BACKEND=jax python benchmarks/accelerator.py ids.npz --json benchmarks/log/accelerator.json
    KERAS_BACKEND=jax python benchmarks/accelerator.py ids.npz --smoke     # tiny, to see that all of it runs
    KERAS_BACKEND=jax python benchmarks/accelerator.py ids.npz --quick     # one size of two models, to compare XLA_FLAGS

The second program needs jax, keras and numpy alone. It trains each model on batches of one shape, 32 sub-words a side, and searches
with it: in several widths with one batch, and in one width with several batches. All programs are compiled first, side by side, and
then measured one by one. The peak is what a large product reaches on this device in the same dtype. Prints Markdown tables.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import keras
import numpy as np

LENGTH = 32  # sub-words a side, EOS included
STEPS = 20
WIDTHS = (256, 512, 1024)
SIZES = ((512, 4096), (512, 16384), (512, 65536), (256, 16384), (1024, 16384))  # width, tokens per batch
QUICK_MODELS, QUICK_SIZES = ("bahdanau2015", "hybrid"), ((512, 16384),)
SEARCHED, ROWS = 512, (64, 512)  # width, sentences at once
MODELS = ("bahdanau2015", "luong2015", "hybrid")
DTYPES = ("float32", "mixed_bfloat16")
COLUMNS = (
    "model | width | tokens per batch | dtype | target tokens/s | step, ms | of the peak | launches per step | µs a launch | "
    "compiling, s | GiB"
)
SEARCH_COLUMNS = "model | width | dtype | sentences at once | beam | sentences/s | compiling, s"


def write_ids(path: Path) -> None:
    """Multi30k's training pairs as ids, those that fit `LENGTH`."""
    from keras_attn.config import TokenizerConfig
    from keras_attn.corpora.named import load_corpus
    from keras_attn.training.inputs import train_tokenizers

    corpus = load_corpus("multi30k", "en", "de", "train")
    tokenizers = train_tokenizers(corpus, TokenizerConfig(vocab_size=8000))
    sides = [t.encode(lines) for t, lines in zip(tokenizers, (corpus.source, corpus.target), strict=True)]
    kept = [pair for pair in zip(*sides, strict=True) if max(map(len, pair)) < LENGTH]
    arrays = np.zeros((2, len(kept), LENGTH), np.int32)
    for i, pair in enumerate(kept):
        for side, ids in enumerate(pair):
            arrays[side, i, : len(ids) + 1] = [*ids, 3]  # EOS
    np.savez_compressed(path, source=arrays[0], target=arrays[1], vocab_size=tokenizers[0].vocab_size)


def build(name: str, width: int, vocab_size: int) -> keras.Model:
    """A model of the package; the hybrid is that of `configs/multi30k_hybrid.toml` in this width."""
    from keras_attn.config import ModelConfig
    from keras_attn.models.build import build_seq2seq

    sizes = dict.fromkeys(("source_vocab_size", "target_vocab_size"), vocab_size)
    widths = dict.fromkeys(("embedding_dim", "decoder_units", "readout_units"), width)
    if name == "hybrid":
        more = {
            "encoder": "transformer",
            "encoder_layers": 4,
            "query_state": "intermediate",
            "attention_heads": 4,
        }
        return build_seq2seq(ModelConfig(**sizes, **widths, **more, attention_units=width))
    attention = {"attention_units": width} if name == "bahdanau2015" else {}
    return build_seq2seq(ModelConfig.from_preset(name, **sizes, **widths, encoder_units=width, **attention))


def batch_of(ids: dict[str, np.ndarray], tokens: int) -> tuple:
    """The first pairs of the file, from the beginning again where they are too few."""
    rows = np.arange(tokens // LENGTH) % len(ids["source"])
    source, target = ids["source"][rows], ids["target"][rows]
    target_in = np.concatenate([np.full((len(rows), 1), 2, np.int32), target[:, :-1]], axis=1)  # BOS
    return (source, target_in), target, (target != 0).astype(np.float32)


def prepare(name: str, width: int, tokens: int, ids: dict[str, np.ndarray]) -> tuple:
    """A traced step of training, what it starts from, and the multiplications and additions of its products."""
    import jax
    from shared.xla import operations, state_of, training_step

    from keras_attn.training.losses import SmoothedCrossEntropy

    model = build(name, width, int(ids["vocab_size"]))
    optimizer = keras.optimizers.Adam(global_clipnorm=1.0)
    step = training_step(model, SmoothedCrossEntropy(0.1), optimizer)
    batch, state = jax.device_put(batch_of(ids, tokens)), state_of(model, optimizer)
    traced = jax.jit(step, donate_argnums=0).trace(state, batch)
    return traced, state, batch, operations(traced.jaxpr.jaxpr)


def compiled(traced: Any) -> tuple[Any, float]:
    """The program of a traced step, and the seconds that it took."""
    began = time.perf_counter()
    return traced.lower().compile(), time.perf_counter() - began


def trained(program: Any, state: tuple, batch: tuple, steps: int) -> tuple[float, float]:
    """Seconds a step, and the loss at the end."""
    import jax

    for warm in (True, False):
        began = time.perf_counter()
        for _ in range(1 if warm else steps):
            loss, state = program(state, batch)
        jax.block_until_ready(state)
    seconds = (time.perf_counter() - began) / steps
    if not np.isfinite(float(loss)):
        raise FloatingPointError(f"the loss became {float(loss)}")
    return seconds, float(loss)


class Training:
    """A training that is compiled in the background, to be measured later."""

    def __init__(
        self,
        name: str,
        width: int,
        tokens: int,
        dtype: str,
        *,
        ids: dict[str, np.ndarray],
        pool: ThreadPoolExecutor,
    ) -> None:
        self._case = {"model": name, "width": width, "tokens": tokens, "dtype": dtype}
        traced, self._state, self._batch, self._operations = prepare(name, width, tokens, ids)
        self._program: Future = pool.submit(compiled, traced)

    def measure(self, steps: int) -> dict[str, Any]:
        """Its row of the table; the weights are gone then."""
        from shared.xla import launches

        program, compiling = self._program.result()
        seconds, loss = trained(program, self._state, self._batch, steps)
        memory = program.memory_analysis()
        dtype = self._case["dtype"]
        return {
            **self._case,
            "tokens_per_second": float(self._batch[2].sum()) / seconds,
            "milliseconds": 1e3 * seconds,
            "operations": self._operations,
            "of_peak": self._operations / seconds / peak(dtype),
            "launches": launches(program.as_text()),
            "compiling": compiling,
            "gib": (memory.temp_size_in_bytes + memory.argument_size_in_bytes) / 2**30,
            "loss": loss,
        }


def search(
    name: str, width: int, *, dtype: str, ids: dict[str, np.ndarray], rows: int, beam: int
) -> dict[str, Any]:
    """Translations of random weights, which hardly ever end before the longest length: the worst case."""
    model = build(name, width, int(ids["vocab_size"]))
    source = ids["source"][np.arange(rows) % len(ids["source"])]
    times = []
    for _ in range(3):
        began = time.perf_counter()
        model.translate(source, beam_size=beam, max_length=LENGTH, batch_size=rows)
        times.append(time.perf_counter() - began)
    return {
        "model": name,
        "width": width,
        "dtype": dtype,
        "rows": rows,
        "beam": beam,
        "sentences_per_second": rows / min(times[1:]),
        "compiling": times[0] - min(times[1:]),
    }


def measured_runs(
    models: tuple[str, ...],
    sizes: tuple[tuple[int, int], ...],
    steps: int,
    ids: dict[str, np.ndarray],
) -> Iterator[dict[str, Any]]:
    """A row for each size, model and dtype."""
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        prepared = []
        for dtype, name, (width, tokens) in product(DTYPES, models, sizes):
            keras.config.set_dtype_policy(dtype)
            prepared.append(Training(name, width, tokens, dtype, ids=ids, pool=pool))
    for each in prepared:  # leaving the pool has waited for all programs
        yield each.measure(steps)


def peak(dtype: str, size: int = 4096) -> float:
    """Operations a second of a large product on this device."""
    import jax

    if dtype not in _PEAKS:
        size = size if jax.devices()[0].platform != "cpu" else size // 4
        kind = "bfloat16" if "bfloat16" in dtype else "float32"
        matrix = jax.random.normal(jax.random.key(0), (size, size), kind)
        square = jax.jit(lambda a: a @ a)
        jax.block_until_ready(square(matrix))
        began = time.perf_counter()
        jax.block_until_ready([square(matrix) for _ in range(10)])
        _PEAKS[dtype] = 10 * 2 * size**3 / (time.perf_counter() - began)
    return _PEAKS[dtype]


_PEAKS: dict[str, float] = {}


def print_operations(ids: dict[str, np.ndarray]) -> None:
    """Of a target position in training, with as long a source."""
    print("| model | width | million operations a target position |\n|---|---|---|")
    for name in MODELS:
        for width in WIDTHS:
            *_, count = prepare(name, width, 4096, ids)
            print(f"| {name} | {width} | {count / 4096 / 1e6:.1f} |", flush=True)


def save(rows: dict[str, Any], path: Path | None) -> None:
    """What is measured so far: time on an accelerator may end at any moment."""
    if path:
        path.write_text(json.dumps(rows, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ids", type=Path, nargs="?", help="what --write wrote")
    parser.add_argument("--write", type=Path, help="write the ids, and end")
    parser.add_argument("--smoke", action="store_true", help="one tiny size of each")
    parser.add_argument("--quick", action="store_true", help="one size of two models, and no search")
    parser.add_argument("--count", action="store_true", help="only count operations; nothing runs")
    parser.add_argument("--json", type=Path, help="where the numbers go, too")
    args = parser.parse_args()
    if args.write:
        write_ids(args.write)
        return
    if not args.ids:
        parser.error("name the file of ids that --write wrote")
    if keras.backend.backend() != "jax":
        parser.error("set KERAS_BACKEND=jax")
    import jax

    if args.count:
        print_operations(dict(np.load(args.ids)))
        return
    device = jax.devices()[0]
    ids = dict(np.load(args.ids))
    sizes, steps = (((64, 1024),), 2) if args.smoke else (QUICK_SIZES if args.quick else SIZES, STEPS)
    width, counts = (64, (8,)) if args.smoke else (SEARCHED, ROWS)
    rows: dict[str, Any] = {"device": device.device_kind, "training": [], "search": []}
    print(f"Device: {device.device_kind}\n\n| {COLUMNS} |\n{'|---' * 11}|")
    models = QUICK_MODELS if args.quick else MODELS
    for row in measured_runs(models, sizes, steps, ids):
        rows["training"].append(row)
        save(rows, args.json)
        print(
            f"| {row['model']} | {row['width']} | {row['tokens']:,} | {row['dtype']} | {row['tokens_per_second']:,.0f} | "
            f"{row['milliseconds']:.1f} | {row['of_peak']:.1%} | {row['launches']:,} | "
            f"{1e3 * row['milliseconds'] / row['launches']:.1f} | {row['compiling']:.1f} | {row['gib']:.2f} |",
            flush=True,
        )
    if args.quick:
        return
    print(f"\n| {SEARCH_COLUMNS} |\n{'|---' * 7}|")
    for dtype, name, beam, count in product(DTYPES, MODELS, (1, 4), counts):
        keras.config.set_dtype_policy(dtype)
        row = search(name, width, dtype=dtype, ids=ids, rows=count, beam=beam)
        rows["search"].append(row)
        save(rows, args.json)
        print(
            f"| {name} | {width} | {dtype} | {count} | {beam} | {row['sentences_per_second']:,.1f} | "
            f"{row['compiling']:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
