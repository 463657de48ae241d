"""The models in `saved_models/`, and how an installed package finds them."""

import json
import tomllib
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from keras_attn.cli.main import main
from keras_attn.corpora.attribution import attribution
from keras_attn.export.runner import LiteRTTranslator
from keras_attn.inference.translator import Translator
from keras_attn.storage import packaged

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ["en-es", "es-en", "en-fr", "fr-en", "en-de", "de-en"]


def described_inside(model):
    """The description in the file itself."""
    with zipfile.ZipFile(model) as archive:
        return json.loads(archive.read("model.json"))


def test_seven_models_come_with_the_package():
    assert packaged.names() == ["cmudict", *sorted(f"tatoeba-{pair}" for pair in PAIRS)]
    assert packaged.folder("cmudict").samefile(ROOT / "saved_models" / "cmudict")


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(
        ValueError,
        match="no packaged model 'tatoeba-xx-yy'; available: cmudict, tatoeba-de-en, tatoeba-en-de, ",
    ):
        packaged.folder("tatoeba-xx-yy")


def test_the_wheel_holds_every_package_and_the_packaged_models():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {path.parent.relative_to(ROOT) for path in (ROOT / "keras_attn").rglob("__init__.py")}
    assert listed == sorted(
        {".".join(path.parts) for path in found} | {"keras_attn.clients", "keras_attn.saved_models"}
    )


def test_a_packaged_model_is_known_by_any_path(monkeypatch):
    monkeypatch.chdir(ROOT / "saved_models")
    assert packaged.holds("tatoeba-en-es") and packaged.holds("../saved_models/tatoeba-en-es")
    assert not packaged.holds("..")


def test_the_pronouncer_is_small():
    folder = ROOT / "saved_models" / "cmudict"
    assert sum(file.stat().st_size for file in folder.iterdir()) < 4e6
    assert (ROOT / "saved_models" / "cmudict-litert" / "model.tflite").stat().st_size < 2e6


def test_the_pronouncers_export_names_the_dictionary():
    about = described_inside(ROOT / "saved_models" / "cmudict-litert" / "model.tflite")
    assert about["attribution"] == attribution("cmudict")


def test_the_pronouncers_card_gives_the_scores_of_its_metrics():
    folder = ROOT / "saved_models" / "cmudict"
    card, metrics = (folder / "README.md").read_text(), json.loads((folder / "metrics.json").read_text())
    for search in ("test_greedy", "test_beam_5"):
        assert f"{100 - metrics[search]['exact']:.1f}" in card
    assert metrics["test_greedy"]["error_signature"].replace("|", "\\|") in card


@pytest.mark.slow
def test_the_pronouncer_is_asked_by_its_name_whatever_the_capitals():
    words = ["cat", "Station"]
    sounds = ["K AE1 T", "S T EY1 SH AH0 N"]
    assert Translator.from_preset("cmudict")(words) == sounds
    assert LiteRTTranslator(ROOT / "saved_models" / "cmudict-litert")(words) == sounds


@pytest.mark.parametrize("pair", PAIRS)
def test_a_packaged_model_is_small_enough_for_git(pair):
    folder = ROOT / "saved_models" / f"tatoeba-{pair}"
    assert sum(file.stat().st_size for file in folder.iterdir()) < 12e6
    assert (ROOT / "saved_models" / f"tatoeba-{pair}-litert" / "model.tflite").stat().st_size < 6e6


@pytest.mark.parametrize("pair", PAIRS)
def test_a_packaged_export_names_whom_its_model_learned_from(pair):
    folder, text = ROOT / "saved_models" / f"tatoeba-{pair}-litert", attribution("tatoeba")
    model = folder / "model.tflite"
    # The metadata's license, and its description, which is model.json.
    assert model.read_bytes().count(text.encode()) == 2
    for about in (described_inside(model), json.loads((folder / "model.json").read_bytes())):
        assert about["attribution"] == text


@pytest.mark.parametrize("pair", PAIRS)
def test_the_card_gives_the_scores_of_the_metrics(pair):
    folder = ROOT / "saved_models" / f"tatoeba-{pair}"
    card, metrics = (folder / "README.md").read_text(), json.loads((folder / "metrics.json").read_text())
    for search in ("test_greedy", "test_beam_5"):
        assert f"{metrics[search]['bleu']:.1f}" in card
        assert metrics[search]["bleu_signature"].replace("|", "\\|") in card


SENTENCES = {
    "de": ["Wo ist mein Buch?", "Sie hat sich ein neues Auto gekauft.", "Er ist sehr müde."],
    "en": ["Where is my book?", "She bought a new car.", "He is very tired."],
    "es": ["¿Dónde está mi libro?", "Ella compró un coche nuevo.", "Él está muy cansado."],
    "fr": ["Où est mon livre ?", "Elle a acheté une nouvelle voiture.", "Il est très fatigué."],
}

AS_GOOD = {
    "Está muy cansado.": "Él está muy cansado.",
    "Sie hat ein neues Auto gekauft.": "Sie hat sich ein neues Auto gekauft.",
    "Sie kaufte ein neues Auto.": "Sie hat sich ein neues Auto gekauft.",
    "He's very tired.": "He is very tired.",
    "Where's my book?": "Where is my book?",
}


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
def test_a_packaged_model_translates_by_its_name(pair):
    source, target = (SENTENCES[language] for language in pair.split("-"))
    for translate in (
        Translator.from_preset(f"tatoeba-{pair}"),
        LiteRTTranslator(ROOT / "saved_models" / f"tatoeba-{pair}-litert"),
    ):
        assert [AS_GOOD.get(line, line) for line in translate(source)] == target


@pytest.mark.slow
def test_another_word_from_a_glossary_takes_the_place_of_the_models_own():
    translator = Translator.from_preset("tatoeba-en-fr")
    (text,) = translator(["I bought a dog yesterday."], glossary={"dog": "chat"})
    assert "chat" in text.split() and "chien" not in text


@pytest.mark.slow
def test_evaluating_a_packaged_model_leaves_its_figures_alone(tmp_path):
    metrics = ROOT / "saved_models" / "tatoeba-en-es" / "metrics.json"
    before = metrics.read_bytes()
    (tmp_path / "source").write_text("What time is it?\n")
    (tmp_path / "reference").write_text("¿Qué hora es?\n")
    files = ["--source", str(tmp_path / "source"), "--reference", str(tmp_path / "reference")]
    result = CliRunner().invoke(main, ["evaluate", "tatoeba-en-es", "--beam-size", "1", *files])
    assert "chrF2 100.0" in result.output
    assert metrics.read_bytes() == before


def test_a_folder_that_is_there_goes_before_the_packaged_model_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = packaged.names()[0]
    assert packaged.locate(name) == packaged.folder(name)
    Path(name).mkdir()
    assert packaged.locate(name) == Path(name)
