"""What training and search do on an accelerator: tokens a second, operations against the peak, launches, compile time, memory.

    python benchmarks/accelerator.py --write ids.npz              # with the whole package; KERAS_ATTN_DATA, or the download cache
    KERAS_BACKEND=jax python benchmarks/accelerator.py ids.npz --json benchmarks/log/accelerator.json
    KERAS_BACKEND=jax python benchmarks/accelerator.py ids.npz --smoke     # tiny, to see that all of it runs

The second program needs jax, keras and numpy alone. It trains each model on batches of one shape, 32 sub-words a side, and searches
with it. The peak is what a large product reaches on this device in the same dtype. Prints Markdown tables.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import keras
import numpy as np

LENGTH = 32  # sub-words a side, EOS included
STEPS = 20
WIDTHS = (256, 512, 1024)
MODELS = ("bahdanau2015", "luong2015", "hybrid")
COLUMNS = (
    "model | width | tokens a batch | dtype | target tokens/s | step, ms | of the peak | launches a step | µs a launch | "
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
    """A step of training, what it starts from, and the multiplications and additions of its products."""
    import jax
    from shared.xla import operations, state_of, training_step

    from keras_attn.training.losses import SmoothedCrossEntropy

    model = build(name, width, int(ids["vocab_size"]))
    optimizer = keras.optimizers.Adam(global_clipnorm=1.0)
    step = training_step(model, SmoothedCrossEntropy(0.1), optimizer)
    batch, state = batch_of(ids, tokens), state_of(model, optimizer)
    return step, state, batch, operations(jax.make_jaxpr(step)(state, batch).jaxpr)


def train(
    name: str, width: int, *, tokens: int, dtype: str, ids: dict[str, np.ndarray], steps: int
) -> dict[str, Any]:
    """Steps of one training, compiled ahead."""
    import jax
    from shared.xla import launches

    step, state, batch, count = prepare(name, width, tokens, ids)
    batch = jax.device_put(batch)
    began = time.perf_counter()
    program = jax.jit(step, donate_argnums=0).lower(state, batch).compile()
    compiling = time.perf_counter() - began
    loss, state = program(state, batch)
    jax.block_until_ready(state)
    began = time.perf_counter()
    for _ in range(steps):
        loss, state = program(state, batch)
    jax.block_until_ready(state)
    seconds = (time.perf_counter() - began) / steps
    memory = program.memory_analysis()
    if not np.isfinite(float(loss)):
        raise FloatingPointError(f"the loss of {name} became {float(loss)}")
    return {
        "model": name,
        "width": width,
        "tokens": tokens,
        "dtype": dtype,
        "tokens_per_second": float(batch[2].sum()) / seconds,
        "milliseconds": 1e3 * seconds,
        "operations": count,
        "of_peak": count / seconds / peak(dtype),
        "launches": launches(program.as_text()),
        "compiling": compiling,
        "gib": (memory.temp_size_in_bytes + memory.argument_size_in_bytes) / 2**30,
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


def peak(dtype: str, size: int = 4096) -> float:
    """Operations a second of a large product on this device."""
    import jax

    if dtype not in _PEAKS:
        size = size if jax.devices()[0].platform != "cpu" else size // 4
        matrix = jax.numpy.ones((size, size), "bfloat16" if "bfloat16" in dtype else "float32")
        product = jax.jit(lambda a: a @ a)
        jax.block_until_ready(product(matrix))
        began = time.perf_counter()
        jax.block_until_ready([product(matrix) for _ in range(10)])
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ids", type=Path, nargs="?", help="what --write wrote")
    parser.add_argument("--write", type=Path, help="write the ids, and end")
    parser.add_argument("--smoke", action="store_true", help="one tiny size of each")
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
    widths, sizes, steps = ((64,), (1024,), 2) if args.smoke else (WIDTHS, (4096, 16384, 65536), STEPS)
    rows: dict[str, Any] = {"device": device.device_kind, "training": [], "search": []}
    print(f"Device: {device.device_kind}\n\n| {COLUMNS} |\n{'|---' * 11}|")
    for dtype in ("float32", "mixed_bfloat16"):
        keras.config.set_dtype_policy(dtype)
        for name in MODELS:
            for width in widths:
                for tokens in sizes:
                    row = train(name, width, tokens=tokens, dtype=dtype, ids=ids, steps=steps)
                    rows["training"].append(row)
                    print(
                        f"| {name} | {width} | {tokens:,} | {dtype} | {row['tokens_per_second']:,.0f} | "
                        f"{row['milliseconds']:.1f} | {row['of_peak']:.1%} | {row['launches']:,} | "
                        f"{1e3 * row['milliseconds'] / row['launches']:.1f} | {row['compiling']:.1f} | {row['gib']:.2f} |",
                        flush=True,
                    )
                    jax.clear_caches()
    print(f"\n| {SEARCH_COLUMNS} |\n{'|---' * 7}|")
    for dtype in ("float32", "mixed_bfloat16"):
        keras.config.set_dtype_policy(dtype)
        for name in MODELS:
            for width in widths:
                for beam in (1, 4):
                    for count in (8,) if args.smoke else (64, 512):
                        row = search(name, width, dtype=dtype, ids=ids, rows=count, beam=beam)
                        rows["search"].append(row)
                        print(
                            f"| {name} | {width} | {dtype} | {count} | {beam} | {row['sentences_per_second']:,.1f} | "
                            f"{row['compiling']:.1f} |",
                            flush=True,
                        )
                        jax.clear_caches()
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
