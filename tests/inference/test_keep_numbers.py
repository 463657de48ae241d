"""`search.keep_numbers`: instead of a translation with other digits than its source, the best one of the beam with the same."""

import dataclasses
import random
import shutil
from functools import partial

import pytest

from keras_attn.config import Sampling
from keras_attn.export.litert import export_litert
from keras_attn.export.saved_model import export_saved_model
from keras_attn.inference.lite_translator import LiteTranslator
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import TrainedModel, load_config, update_config
from keras_attn.text.tokenizer import train_tokenizer
from tests.conftest import fill, tiny_config

BEAM = 6


@pytest.fixture(scope="module")
def lines():
    draw = random.Random(3)
    return [
        *(" ".join(draw.choices(["a", "b", "c", "1"], k=draw.randint(1, 5))) for _ in range(150)),
        "",
        "☃",
    ]


@pytest.fixture(scope="module")
def plain(lines):
    """A model of a few words and numbers with random weights."""
    tokenizer = train_tokenizer(lines[:-1], 40, kind="words")
    config = tiny_config(tokenizer, tokenizer)
    config = dataclasses.replace(config, search=dataclasses.replace(config.search, beam_size=BEAM))
    model = build_seq2seq(config.model)
    fill(model, seed=2)
    return Translator.from_trained(TrainedModel(config, tokenizer, tokenizer, model))


@pytest.fixture(scope="module")
def keeping(plain):
    return Translator(
        plain.model, plain.source_tokenizer, search=dataclasses.replace(plain.search, keep_numbers=True)
    )


def digits(text):
    return "".join(filter(str.isdigit, text))


def keeps(translation):
    return translation.text.count("1") == translation.source.count("1")


def chosen_of(best):
    """What is to come first of an n-best list: the best, unless its source and it have digits and others."""
    counts = best.source.count("1"), best.text.count("1")
    if 0 in counts or counts[0] == counts[1]:
        return best
    return next(filter(keeps, best.alternatives), best)


def test_the_best_hypothesis_with_the_digits_comes_first_if_the_best_of_all_has_others(plain, keeping, lines):
    others = 0
    for found, best in zip(keeping.translate(lines), plain.translate(lines, n_best=BEAM), strict=True):
        chosen = chosen_of(best)
        assert (found.text, found.target_ids) == (chosen.text, chosen.target_ids)
        assert found.score == pytest.approx(chosen.score, rel=1e-5)
        assert found.alternatives == ()
        others += chosen is not best
    assert others > 4


def test_the_others_of_an_n_best_list_keep_their_order(plain, keeping, lines):
    for found, best in zip(
        keeping.translate(lines, n_best=3), plain.translate(lines, n_best=BEAM), strict=True
    ):
        every, first = [best, *best.alternatives], chosen_of(best)
        expected = [first.text, *(one.text for one in every if one is not first)][: 3 if best.text else 1]
        assert [found.text, *(one.text for one in found.alternatives)] == expected


@pytest.mark.parametrize("options", [{"beam_size": 1}, {"sampling": Sampling()}])
def test_without_a_beam_nothing_changes(plain, keeping, lines, options):
    assert keeping(lines, **options) == plain(lines, **options)


def test_a_prefix_stays_that_of_its_line(keeping, lines):
    prefixes = ["a", "b", "1"] * 4
    for text, prefix in zip(keeping(lines[:12], prefix=prefixes), prefixes, strict=True):
        assert text.split()[0] == prefix


@pytest.mark.slow
@pytest.mark.parametrize("export", [partial(export_litert, beam_size=BEAM), export_saved_model])
def test_exports_keep_numbers_as_keras_does(plain, keeping, lines, export, tmp_path):
    parity = export(keeping, tmp_path / "keeping", sources=lines)
    assert parity.identical + parity.ties == parity.sentences == len(lines)
    assert keeping(lines) != plain(lines)


@pytest.mark.slow
@pytest.mark.parametrize("load", [Translator.load, LiteTranslator])
def test_a_packaged_model_keeps_more_long_numbers_with_it_than_without(load, tmp_path):
    draw = random.Random(7)
    numbers = [f"{draw.randrange(10**6, 10**12):,}".replace(",", " ") for _ in range(40)]
    folder = shutil.copytree(packaged.folder("tatoeba-fr-en"), tmp_path / "fr-en")
    search = load_config(folder).search
    assert search.keep_numbers

    def kept():
        texts = load(folder)([f"Le pont mesure {number} mètres." for number in numbers])
        return {number for number, text in zip(numbers, texts, strict=True) if digits(text) == digits(number)}

    with_it = kept()
    update_config(folder, search=dataclasses.replace(search, keep_numbers=False))
    assert kept() < with_it
