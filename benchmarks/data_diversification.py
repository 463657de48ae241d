"""Data diversification on Multi30k (Nguyen et al. 2020): the pairs, and beside them what models of both directions make of them.

    python benchmarks/data_diversification.py configs/multi30k_diverse.toml runs/diverse --rounds 2

In each round a forward and a backward teacher are trained from the given config: in the first round on the real pairs, then on all
pairs there are. The forward one translates the real sources, the backward one the real targets, and what they make joins the pairs,
repeated ones once. The student, one model of the same config, learns from all of them, as the forward teacher of one more round
would. No other data comes in, and every training takes about as many steps. The student's scores on the development set and on the
test sets of 2016 and 2017 are printed and kept in FOLDER/round-3/forward/metrics.json (after two rounds).

More pairs feed a wider model: `--student model.embedding_dim=192 model.decoder_units=384` changes the last student alone, which
then goes into FOLDER/round-3/student.

With `training.guided_alignment` set, the teachers of a round also say which words of the pairs belong together, and their joined
links guide what learns from these pairs. The first teachers have none.

What is trained or translated already is not done again: the command may be stopped and given once more, also with more rounds.

Reference: Nguyen et al. 2020, "Data Diversification: A Simple Strategy For Neural Machine Translation", algorithm 1: k = 1, N
the number of rounds.
"""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from shared.variants import command_line

from keras_attn import config as configs
from keras_attn.alignment.align import align_both_ways
from keras_attn.data.splits import Splits, split_corpus
from keras_attn.evaluation.evaluate import evaluate, tokenized_references
from keras_attn.files import write_text
from keras_attn.inference.translator import Translator
from keras_attn.storage.model_folder import update_metrics
from keras_attn.text.corpus import Corpus, keep_usable, read_lines
from keras_attn.text.links import format_pharaoh, parse_links
from keras_attn.training.fit import train

SCORED = ("dev", "test", "test_2017_flickr")


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="of teachers, before the student")
    parser.add_argument(
        "--student",
        nargs="+",
        default=[],
        metavar="SECTION.KEY=VALUE",
        help="choices of the student alone",
    )
    args = parser.parse_args()
    config = configs.load(args.config, args.set)
    student = configs.override(config, args.student)
    real, dev = (split_corpus(config.data, split) for split in ("train", "dev"))
    pairs = real
    for number in range(1, args.rounds + 1):
        folder = args.folder / f"round-{number}"
        teacher = sized(config, pairs, real)
        forward, backward = Splits(pairs, dev), Splits(turned(pairs), turned(dev))
        targets = translations(teacher, forward, folder / "forward", real.source)
        sources = translations(backwards(teacher), backward, folder / "backward", real.target)
        pairs = together(pairs, Corpus(real.source, targets), Corpus(sources, real.target))
        if config.training.guided_alignment:
            pairs = linked(pairs, folder)
    folder = args.folder / f"round-{args.rounds + 1}"
    made = folder / ("student" if args.student else "forward")
    train(sized(student, pairs, real), made, corpus=Splits(pairs, dev))
    score(config.data, made)


def sized(config: configs.Config, pairs: Corpus, real: Corpus) -> configs.Config:
    """The config of a training on these pairs: as many steps as on the real ones, evaluated as often."""
    training = dataclasses.replace(
        config.training,
        epochs=max(1, round(config.training.epochs * len(real) / len(pairs))),
        evaluate_every=math.ceil(len(real) / config.training.batch_size),
        guided_alignment=config.training.guided_alignment if pairs.links else 0.0,
    )
    data = dataclasses.replace(config.data, corpus="", train=(), dev=(), links="")
    return dataclasses.replace(config, data=data, training=training)


def backwards(config: configs.Config) -> configs.Config:
    """The same from the target language to the source language."""
    data = config.data
    data = dataclasses.replace(
        data, source_language=data.target_language, target_language=data.source_language
    )
    return dataclasses.replace(config, data=data)


def turned(pairs: Corpus) -> Corpus:
    """The same pairs, and their links, in the other direction."""
    links = [{(j, i) for i, j in each} for each in pairs.links] if pairs.links else None
    return Corpus(pairs.target, pairs.source, pairs.dropped, links)


def translations(config: configs.Config, corpus: Splits, folder: Path, sources: Sequence[str]) -> list[str]:
    """What a teacher makes of the sources, or made of them in an earlier call."""
    made = folder / "translations.txt"
    if not made.exists():
        train(config, folder, corpus=corpus)
        write(made, Translator.load(folder)(sources))
    return read_lines(made)


def together(*corpora: Corpus) -> Corpus:
    """All pairs, each once."""
    pairs = dict.fromkeys(pair for each in corpora for pair in zip(each.source, each.target, strict=True))
    return keep_usable(*zip(*pairs, strict=True))


def linked(pairs: Corpus, folder: Path) -> Corpus:
    """The pairs with the joined links of the round's teachers, or with those of an earlier call."""
    made = folder / "links.txt"
    if not made.exists():
        teachers = (Translator.load(folder / name) for name in ("forward", "backward"))
        write(made, map(format_pharaoh, align_both_ways(*teachers, pairs.source, pairs.target)))
    return dataclasses.replace(pairs, links=[parse_links(line)[0] for line in read_lines(made)])


def write(path: Path, lines: Iterable[str]) -> None:
    write_text(path, "".join(f"{line}\n" for line in lines))


def score(data: configs.DataConfig, folder: Path) -> None:
    """Prints the student's scores, and keeps them in its metrics."""
    translator = Translator.load(folder)
    for split in SCORED:
        pairs, tokenized = split_corpus(data, split), tokenized_references(data, split)
        print(f"\n{split}")
        for found in evaluate(translator, pairs.source, pairs.target, tokenized_references=tokenized):
            print(found, flush=True)
            update_metrics(folder, {f"{split}_{found.name}": found.as_dict()})


if __name__ == "__main__":
    main()
