"""Data diversification: a model learns from the pairs, and from their translations by teachers of both directions.

In each round, teachers of the given config are trained in both directions: in the first round on the real pairs, later on all pairs
so far. Forward teachers translate the real sources, backward teachers the real targets, and their translations are added to the
pairs, each pair once. At the end the student learns from all pairs. No other data is used, and every training run takes about as
many steps as one on the real pairs.

Reference: Nguyen et al. 2020, "Data Diversification: A Simple Strategy For Neural Machine Translation", algorithm 1: N rounds,
k teachers of each direction. Learning from a teacher's translations is Kim and Rush 2016, "Sequence-Level Knowledge Distillation".
"""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from keras_attn.alignment.align import align_both_ways
from keras_attn.bounded import read_json
from keras_attn.config import Config, ConfigError, TrainingConfig
from keras_attn.config.schema import applies
from keras_attn.data.splits import Splits, split_corpus
from keras_attn.files import write_json, write_text
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq
from keras_attn.storage import model_folder
from keras_attn.text.corpus import Corpus, keep_usable, read_lines, read_pairs
from keras_attn.text.links import Links, format_pharaoh, parse_links
from keras_attn.training import checkpoint as checkpoints
from keras_attn.training import fit
from keras_attn.training.checkpoint import CheckpointError
from keras_attn.training.inputs import digest
from keras_attn.training.progress import tell
from keras_attn.training.same_config import without_files

PLAN, TEACHERS = "distillation.json", "teachers"


def distill(
    config: Config,
    folder: str | Path,
    *,
    rounds: int = 1,
    teachers: int = 1,
    student: Config | None = None,
) -> dict[str, Any]:
    """Trains teachers and then their student, or resumes an earlier call for the same folder.

    `folder` becomes the student's model folder, and `folder/teachers` contains the teachers and their translations.

    If teachers or student have a `training.guided_alignment`, the first teachers of both directions in a round are used to link the
    words of the pairs, and these links guide those of the models trained on the pairs that have it. The teachers of the first round
    are guided only if the real pairs have links.

    Args:
        config: the config of the teachers. It names the real sentence pairs; `training.epochs` counts epochs of these.
        folder: the folder for the student; made if it does not exist.
        rounds: N, the rounds of teachers, at least 1.
        teachers: k, the teachers per direction and round, at least 1; they differ in `training.seed`.
        student: the student's config, on the same pairs. None: that of the teachers.

    Returns:
        The content of the student's `metrics.json`.

    Raises:
        ConfigError: unusable values.
        CheckpointError: the folder was started with other pairs, rounds or teachers.
        CorpusError, TrainingDiverged, OSError: as for `train`.
    """
    folder, student = Path(folder), student or config
    if rounds < 1 or teachers < 1:
        raise ConfigError("a distillation needs at least 1 round of at least 1 teacher for each direction")
    if student.data != config.data:
        raise ConfigError("a student learns from its teachers' pairs: its [data] must equal theirs")
    for each, where in ((config, folder / TEACHERS), (student, folder)):
        fit.check(each, where)
        _check_model(each)
    real = _real_pairs(config)
    _begin(folder, rounds=rounds, teachers=teachers, pairs=digest(real))
    pairs = real.train
    for number in range(1, rounds + 1):
        stage = _Stage(
            folder / TEACHERS / f"round-{number}",
            f"round {number} of {rounds}",
            _sized(config, pairs, real),
            guides=any(each.training.guided_alignment > 0 for each in (config, student)),
        )
        pairs = stage.add_to(pairs, real, teachers)
    tell(f"the student, on {len(pairs)} pairs")
    fit.train(_sized(student, pairs, real), folder, corpus=Splits(pairs, real.dev))
    model_folder.update_config(folder, data=without_files(config).data)
    return model_folder.load_metrics(folder)


def _check_model(config: Config) -> None:
    """Refuses a model that cannot be built: the student's turn comes hours later."""
    sizes = dict.fromkeys(("source_vocab_size", "target_vocab_size"), max(config.tokenizer.vocab_size, 8))
    try:
        build_seq2seq(dataclasses.replace(config.model, **sizes))
    except ValueError as error:
        raise ConfigError(str(error)) from None


@dataclasses.dataclass(frozen=True)
class _Stage:
    """One round: its folder, its name, the config of its teachers, and whether they link the words for the next models."""

    folder: Path
    name: str
    config: Config
    guides: bool

    def add_to(self, pairs: Corpus, real: Splits, teachers: int) -> Corpus:
        """The pairs, plus translations of the real pairs by teachers trained on all of them."""
        forward, backward = Splits(pairs, real.dev), Splits(_turned(pairs), _turned(real.dev))
        made = [pairs]
        for number in range(1, teachers + 1):
            config = _with_seed(self.config, number)
            targets = self._translations(config, forward, f"forward-{number}", real.train.source)
            sources = self._translations(
                _backwards(config), backward, f"backward-{number}", real.train.target
            )
            made += Corpus(real.train.source, targets), Corpus(sources, real.train.target)
        pairs = together(made)
        return dataclasses.replace(pairs, links=self._links(pairs)) if self.guides else pairs

    def _translations(self, config: Config, corpus: Splits, name: str, sources: Sequence[str]) -> list[str]:
        """A teacher's translations of the sources, made now or in an earlier call."""
        folder = self.folder / name
        made = folder / "translations.txt"
        tell(f"{self.name}: teacher {name}, on {len(corpus.train)} pairs")
        fit.train(config, folder, corpus=corpus)
        if not made.exists():
            tell(f"{self.name}: {name} translates {len(sources)} lines")
            _write_lines(made, Translator.load(folder)(sources))
        return read_lines(made)

    def _links(self, pairs: Corpus) -> list[Links]:
        """The combined links of the first teachers, found now or in an earlier call."""
        found = self.folder / "links.txt"
        if not found.exists():
            tell(f"{self.name}: the teachers link the words of {len(pairs)} pairs")
            both = (Translator.load(self.folder / f"{way}-1") for way in ("forward", "backward"))
            _write_lines(found, map(format_pharaoh, align_both_ways(*both, pairs.source, pairs.target)))
        return [parse_links(line)[0] for line in read_lines(found)]


def _real_pairs(config: Config) -> Splits:
    """The corpus in memory, with the links from `data.links`."""
    read = partial(read_pairs, links=config.data.links or None)
    return Splits(split_corpus(config.data, "train", read=read), split_corpus(config.data, "dev"))


def _begin(folder: Path, **plan: Any) -> None:
    """Records the settings of the folder; raises CheckpointError if it was started with others."""
    path = folder / PLAN
    if not path.exists():
        if any((folder / file).exists() for file in (checkpoints.FILE, checkpoints.PREVIOUS)):
            raise CheckpointError(
                f"the training in {folder} is not a distillation: distill in another folder"
            )
        write_json(path, plan)
    begun = read_json(path)
    if begun == plan:
        return
    if begun.get("pairs") != plan["pairs"]:
        raise CheckpointError(
            f"the sentence pairs are not those with which the distillation in {folder} began. "
            "Restore them to resume, or distill in another folder"
        )
    raise CheckpointError(
        f"the distillation in {folder} began with {begun.get('rounds')} rounds of {begun.get('teachers')} teachers. "
        "Use the same numbers to resume, or distill in another folder"
    )


def _sized(config: Config, pairs: Corpus, real: Splits) -> Config:
    """The config of a run on these pairs, with as many steps and evaluations as on the real ones, but at least one epoch."""
    training = dataclasses.replace(
        config.training,
        epochs=max(1, round(config.training.epochs * len(real.train) / len(pairs))),
        evaluate_every=_steps_per_round(config.training, real.train),
        guided_alignment=config.training.guided_alignment if pairs.links else 0.0,
    )
    data = dataclasses.replace(config.data, corpus="", train=(), dev=(), links="")
    return dataclasses.replace(config, data=data, training=training)


def _steps_per_round(training: TrainingConfig, real: Corpus) -> int:
    """The steps between evaluations: one pass over as many pairs as are real. Batches counted in tokens have no such number."""
    if training.evaluate_every or training.batch_tokens:
        return training.evaluate_every
    return math.ceil(len(real) / training.batch_size)


def _with_seed(config: Config, number: int) -> Config:
    """The config of the n-th teacher; the first has the given seed."""
    seed = (config.training.seed + number - 1) % 2**31  # the largest seed is followed by 0
    training = dataclasses.replace(config.training, seed=seed)
    return dataclasses.replace(config, training=training)


def _backwards(config: Config) -> Config:
    """The same from the target language to the source language."""
    data, tokenizer = config.data, config.tokenizer
    data = dataclasses.replace(
        data, source_language=data.target_language, target_language=data.source_language
    )
    if tokenizer.target_kind != "same":
        tokenizer = dataclasses.replace(tokenizer, kind=tokenizer.target_kind, target_kind=tokenizer.kind)
        fields = dataclasses.fields(tokenizer)
        tokenizer = dataclasses.replace(
            tokenizer, **{field.name: field.default for field in fields if not applies(tokenizer, field.name)}
        )
    return dataclasses.replace(config, data=data, tokenizer=tokenizer)


def _turned(pairs: Corpus) -> Corpus:
    """The same pairs, and their links, in the other direction."""
    links = [{(j, i) for i, j in each} for each in pairs.links] if pairs.links else None
    return Corpus(pairs.target, pairs.source, pairs.dropped, links)


def together(corpora: Iterable[Corpus]) -> Corpus:
    """All pairs, each once, without empty translations."""
    pairs = dict.fromkeys(pair for each in corpora for pair in zip(each.source, each.target, strict=True))
    return keep_usable(*zip(*pairs, strict=True))


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    write_text(path, "".join(f"{line}\n" for line in lines))
