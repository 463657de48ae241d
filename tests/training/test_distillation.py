"""Teachers and their student, in trainings of seconds."""

import csv
import dataclasses
import shutil

import numpy as np
import pytest

from keras_attn import config as configs
from keras_attn.alignment.align import align_both_ways
from keras_attn.config import ConfigError
from keras_attn.data.splits import Splits
from keras_attn.inference.translator import Translator
from keras_attn.storage.model_folder import load_data_config, load_metrics, load_model
from keras_attn.text.corpus import Corpus, CorpusError, read_lines, read_pairs
from keras_attn.text.links import parse_links
from keras_attn.training import distillation
from keras_attn.training.checkpoint import CheckpointError, load_checkpoint
from keras_attn.training.distillation import distill
from keras_attn.training.inputs import digest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def settings(recipe, pair_files):
    """Long enough that the teachers say something, and no two the same."""
    config = recipe(epochs=24, evaluate_every=0, learning_rate=0.01, guided_alignment=0.5)
    return configs.override(config, [f"data.links={pair_files / 'train.links'}"])


@pytest.fixture(scope="module")
def distilled(settings, tmp_path_factory):
    """Two teachers a direction, and a student that is wider than they are."""
    folder = tmp_path_factory.mktemp("distilled") / "student"
    metrics = distill(
        settings, folder, teachers=2, student=configs.override(settings, ["model.decoder_units=12"])
    )
    return folder, metrics


def made_by(folder, name, number=1):
    return read_lines(folder / "teachers" / f"round-{number}" / name / "translations.txt")


def steps_of(folder):
    return [int(row["step"]) for row in csv.DictReader((folder / "log.csv").open())]


def digest_of(folder):
    return load_checkpoint(folder)[0].corpus_digest


def weights_of(folder):
    return load_model(folder).model.get_weights()


def pairs_of(folder, pair_files, teachers=((1, 1), (1, 2))):
    """What the student is to learn from these teachers, each (round, number), and how many of these pairs, each once, are real."""
    real = read_pairs([pair_files / "train.tsv"])
    pairs = list(zip(real.source, real.target, strict=True))
    for number, teacher in teachers:
        forward, backward = (made_by(folder, f"{way}-{teacher}", number) for way in ("forward", "backward"))
        pairs += zip(real.source, forward, strict=True)
        pairs += zip(backward, real.target, strict=True)
    once = [pair for pair in dict.fromkeys(pairs) if all(map(str.strip, pair))]
    distinct = set(zip(real.source, real.target, strict=True))
    return Corpus(*map(list, zip(*once, strict=True))), len(distinct)


def test_the_student_learns_from_the_pairs_and_from_what_each_teacher_makes_of_them(distilled, pair_files):
    folder, _ = distilled
    pairs, real = pairs_of(folder, pair_files)
    links = [parse_links(line)[0] for line in read_lines(folder / "teachers" / "round-1" / "links.txt")]
    assert len(pairs) > real
    splits = Splits(dataclasses.replace(pairs, links=links), read_pairs([pair_files / "dev.tsv"]))
    assert digest_of(folder) == digest(splits)


def test_a_teacher_of_either_direction_makes_what_its_model_says(distilled, pair_files):
    folder, _ = distilled
    real = read_pairs([pair_files / "train.tsv"])
    teachers = folder / "teachers" / "round-1"
    assert made_by(folder, "forward-2") == Translator.load(teachers / "forward-2")(real.source)
    assert made_by(folder, "backward-1") == Translator.load(teachers / "backward-1")(real.target)


def test_teachers_of_one_direction_differ_and_those_of_a_round_learn_from_the_same_pairs(distilled):
    folder, _ = distilled
    teachers = folder / "teachers" / "round-1"
    first, second = (weights_of(teachers / f"forward-{number}") for number in (1, 2))
    assert any(not np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert digest_of(teachers / "forward-1") == digest_of(teachers / "forward-2")


def test_more_pairs_do_not_mean_more_steps(distilled):
    folder, _ = distilled
    teacher, student = steps_of(folder / "teachers" / "round-1" / "forward-1"), steps_of(folder)
    assert teacher[0] == student[0] == 8  # 120 real pairs in batches of 16
    assert abs(student[-1] - teacher[-1]) <= 0.2 * teacher[-1]


@pytest.fixture(scope="module")
def trained_by_tokens(recipe, tmp_path_factory):
    """What a teacher and its student were trained with: batches counted in tokens, and a guide for the student alone."""
    config = recipe(epochs=1, batch_size=0, batch_tokens=160, evaluate_every=0)
    folder = tmp_path_factory.mktemp("by_tokens") / "student"
    distill(config, folder, student=configs.override(config, ["training.guided_alignment=0.5"]))
    folders = folder / "teachers" / "round-1" / "forward-1", folder
    return [load_checkpoint(each)[0].config.training for each in folders]


def test_teachers_and_student_learn_in_batches_that_are_counted_in_tokens(trained_by_tokens):
    assert [(each.batch_size, each.batch_tokens) for each in trained_by_tokens] == [(0, 160)] * 2


def test_a_student_may_be_guided_by_teachers_that_are_not(trained_by_tokens):
    assert [each.guided_alignment for each in trained_by_tokens] == [0, 0.5]


def test_the_choices_for_the_student_are_its_own(distilled, settings):
    folder, metrics = distilled
    assert load_model(folder).config.model.decoder_units == 12
    assert load_model(folder / "teachers" / "round-1" / "forward-1").config.model.decoder_units == 8
    assert metrics == load_metrics(folder)


def test_the_same_command_again_changes_nothing(distilled, settings):
    folder, metrics = distilled
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    student = configs.override(settings, ["model.decoder_units=12"])
    assert distill(settings, folder, teachers=2, student=student) == metrics
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_links_of_the_teachers_guide_the_student_as_those_of_the_corpus_guide_them(distilled, pair_files):
    folder, _ = distilled
    links = [parse_links(line)[0] for line in read_lines(folder / "teachers" / "round-1" / "links.txt")]
    pairs, _ = pairs_of(folder, pair_files)
    both = (Translator.load(folder / "teachers" / "round-1" / f"{way}-1") for way in ("forward", "backward"))
    assert links == align_both_ways(*both, pairs.source, pairs.target)
    assert any(links)
    for each in (folder, folder / "teachers" / "round-1" / "forward-1"):
        assert load_checkpoint(each)[0].config.training.guided_alignment == 0.5


@pytest.fixture(scope="module")
def two_rounds(recipe, pair_files):
    """Distils the pairs of a named corpus, for which a few stand here, in two rounds."""
    few = {"train": read_pairs([pair_files / "train.tsv"]), "dev": read_pairs([pair_files / "dev.tsv"])}
    config = recipe(epochs=12, evaluate_every=0, learning_rate=0.01)  # teachers that say something
    config = configs.override(config, ["data.train=[]", "data.dev=[]", "data.corpus=phrasebook"])

    def make(folder, pairs=few, **others):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(distillation, "split_corpus", lambda data, split, read=None: pairs[split])
            return distill(config, folder, **{"rounds": 2, **others})

    return make


@pytest.fixture(scope="module")
def unbroken(two_rounds, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rounds") / "student"
    two_rounds(folder)
    return folder


def test_a_second_round_teaches_from_what_the_first_has_made(unbroken, pair_files):
    """The student learns from what the teachers of both rounds have made of the real pairs."""
    dev = read_pairs([pair_files / "dev.tsv"])
    second = unbroken / "teachers" / "round-2" / "forward-1"
    after_one, after_both = (
        pairs_of(unbroken, pair_files, teachers)[0] for teachers in ([(1, 1)], [(1, 1), (2, 1)])
    )
    assert 120 < len(after_one) < len(after_both)
    assert digest_of(second) == digest(Splits(after_one, dev))
    assert digest_of(unbroken) == digest(Splits(after_both, dev))


def test_a_distillation_that_was_stopped_between_rounds_goes_on_and_ends_with_the_same_weights(
    unbroken, two_rounds, tmp_path
):
    folder = tmp_path / "student"
    shutil.copytree(unbroken / "teachers" / "round-1", folder / "teachers" / "round-1")
    shutil.copy(unbroken / distillation.PLAN, folder)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.h5")}
    two_rounds(folder)
    assert before.items() <= {path: path.stat().st_mtime_ns for path in folder.rglob("*.h5")}.items()
    for one, other in zip(weights_of(folder), weights_of(unbroken), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_student_knows_the_named_corpus_whose_pairs_it_learnt(unbroken):
    assert load_data_config(unbroken).corpus == "phrasebook"


@pytest.mark.parametrize("others", [{"rounds": 1}, {"teachers": 2}])
def test_other_rounds_or_teachers_in_the_same_folder_are_refused(unbroken, two_rounds, others):
    with pytest.raises(CheckpointError, match="began with 2 rounds of 1 teachers"):
        two_rounds(unbroken, **others)


def test_a_folder_with_a_training_that_is_not_a_distillation_is_refused(unbroken, two_rounds, tmp_path):
    trained = shutil.copytree(unbroken / "teachers" / "round-1" / "forward-1", tmp_path / "trained")
    with pytest.raises(CheckpointError, match="is not a distillation: distill in another folder"):
        two_rounds(trained)
    assert not (trained / "teachers").exists()


def test_other_pairs_in_the_same_folder_are_refused(unbroken, two_rounds, pair_files):
    fewer = dict.fromkeys(("train", "dev"), read_pairs([pair_files / "dev.tsv"]))
    with pytest.raises(CheckpointError, match=r"pairs are not those with which the distillation in .* began"):
        two_rounds(unbroken, pairs=fewer)


@pytest.mark.parametrize(
    "choice",
    [
        "model.attention=none",
        "model.attention=luong model.attention_score=dot model.decoder_units=20",
        "training.scheduled_sampling=2",
        "training.batch_size=0",
        "data.source_language=de",
        "data.train=['other.tsv']",
    ],
)
def test_a_student_that_cannot_be_is_refused_before_its_teachers_are_trained(settings, choice, tmp_path):
    student = configs.override(settings, choice.split())
    with pytest.raises(ConfigError):
        distill(settings, tmp_path / "student", student=student)
    assert not (tmp_path / "student").exists()


def test_files_that_are_missing_are_told_before_anything_is_made(recipe, tmp_path):
    config = configs.override(recipe(), ["data.train=['nowhere.tsv']"])
    with pytest.raises(CorpusError, match=r"nowhere\.tsv does not exist"):
        distill(config, tmp_path / "student")
    assert not (tmp_path / "student").exists()


def test_a_distillation_of_no_rounds_or_teachers_is_refused(settings, tmp_path):
    for none in ({"rounds": 0}, {"teachers": 0}):
        with pytest.raises(ConfigError, match="at least 1 round of at least 1 teacher"):
            distill(settings, tmp_path / "student", **none)
    assert not (tmp_path / "student").exists()


PAIRS = Corpus(["a b", "c"], ["x", "y z"], 3, [{(0, 0), (1, 0)}, {(0, 1)}])


def test_a_backward_teacher_reads_what_the_others_write():
    tables = {
        "data": {"source_language": "en", "target_language": "de"},
        "tokenizer": {"joint": False, "kind": "characters", "target_kind": "words"},
    }
    backwards = distillation._backwards(configs.from_tables(tables))
    assert (backwards.data.source_language, backwards.data.target_language) == ("de", "en")
    assert (backwards.tokenizer.kind, backwards.tokenizer.target_kind) == ("words", "characters")
    lowercase = {**tables, "tokenizer": {"joint": False, "lowercase": True, "target_kind": "symbols"}}
    # As a checkpoint has it: nothing that does not apply.
    stored = configs.to_toml(distillation._backwards(configs.from_tables(lowercase)))
    assert "lowercase" not in stored and 'kind = "symbols"' in stored
    alike = {**tables, "tokenizer": {"joint": False, "kind": "words"}}
    assert distillation._backwards(configs.from_tables(alike)).tokenizer.kind == "words"
    turned = distillation._turned(PAIRS)
    assert (turned.source, turned.target, turned.dropped) == (PAIRS.target, PAIRS.source, 3)
    assert turned.links == [{(0, 0), (0, 1)}, {(1, 0)}]


def test_pairs_are_taken_once_in_their_order_and_without_empty_translations():
    made = Corpus(["c", "a b", "d", "e"], ["y z", "w", " ", "v"])
    together = distillation.together([PAIRS, made])
    assert list(zip(together.source, together.target, strict=True)) == [
        ("a b", "x"),
        ("c", "y z"),
        ("a b", "w"),
        ("e", "v"),
    ]


@pytest.mark.parametrize(
    ("count", "epochs"),
    [(100, 30), (200, 15), (210, 14), (290, 10), (100_000, 1)],  # 14.3 and 10.3, and 1 at least
)
def test_more_pairs_have_fewer_epochs_and_as_many_steps_between_evaluations(recipe, count, epochs):
    real = Splits(Corpus(["a"] * 100, ["b"] * 100), PAIRS)
    pairs = Corpus(["a"] * count, ["b"] * count)
    config = recipe(epochs=30, batch_size=16, evaluate_every=0, guided_alignment=0.5)
    sized = distillation._sized(config, pairs, real)
    assert sized.training.epochs == epochs
    assert sized.training.evaluate_every == 7  # 100 pairs in batches of 16
    assert sized.training.guided_alignment == 0.0  # there are no links
    assert sized.data.train == sized.data.dev == ()
    linked = dataclasses.replace(pairs, links=[set()] * count)
    assert distillation._sized(config, linked, real).training.guided_alignment == 0.5
    given = distillation._sized(recipe(epochs=30, evaluate_every=5), pairs, real)
    assert given.training.evaluate_every == 5


def test_the_first_teacher_has_the_given_seed_and_the_others_those_that_follow(recipe):
    seeds = [distillation._with_seed(recipe(seed=7), number).training.seed for number in (1, 2, 3)]
    assert seeds == [7, 8, 9]
    assert distillation._with_seed(recipe(seed=2**31 - 1), 2).training.seed == 0
