"""Trainings that start from a trained model."""

import dataclasses
import re

import numpy as np
import pytest
from click.testing import CliRunner
from keras import ops

from keras_attn.cli.main import main
from keras_attn.config import ConfigError, override
from keras_attn.corpora.named import load_corpus
from keras_attn.data.splits import Splits
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import load_config, load_model, save_model
from keras_attn.text.corpus import Corpus
from keras_attn.text.tokenizer import train_tokenizer
from keras_attn.training.checkpoint import load_checkpoint
from keras_attn.training.development import perplexity
from keras_attn.training.fit import train
from keras_attn.training.start import Start


def values(model):
    return {weight.path: ops.convert_to_numpy(weight.value) for weight in model.weights}


def rows_by_piece(array, tokenizer):
    return dict(zip(tokenizer.pieces(range(tokenizer.vocab_size)), array, strict=True))


@pytest.fixture
def new_model(tiny_trained, source_lines, target_lines):
    """A model of other vocabularies, smaller ones, and these."""
    source, target = train_tokenizer(source_lines[:20], 45), train_tokenizer(target_lines[:20], 40)
    sizes = {"source_vocab_size": source.vocab_size, "target_vocab_size": target.vocab_size}
    return build_seq2seq(dataclasses.replace(tiny_trained.config.model, **sizes)), source, target


STACKS = [
    {},
    {"encoder_layers": 2, "decoder_layers": 2, "cell": "lstm"},
    {"encoder": "transformer", "encoder_layers": 3, "encoder_heads": 2, "encoder_units": 256},
]


@pytest.mark.parametrize("stack", STACKS)
def test_with_its_own_vocabulary_a_model_is_taken_as_it_is(tiny_trained, tmp_path, stack):
    config = dataclasses.replace(tiny_trained.config.model, **stack)
    old, new = build_seq2seq(config), build_seq2seq(config)
    whole = dataclasses.replace(tiny_trained.config, model=config)
    save_model(tmp_path / "old", dataclasses.replace(tiny_trained, config=whole, model=old))
    Start(tmp_path / "old").fill(new, tiny_trained.source_tokenizer, tiny_trained.target_tokenizer)
    for ours, theirs in zip(new.get_weights(), old.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_deeper_stack_is_refused(tiny_trained, model_folder):
    model = build_seq2seq(dataclasses.replace(tiny_trained.config.model, encoder_layers=2))
    with pytest.raises(ConfigError, match=r"it has 1 of encoder/forward_layer/\w+, and \[model\] has 2"):
        Start(model_folder).fill(model, tiny_trained.source_tokenizer, tiny_trained.target_tokenizer)


def test_a_model_keeps_its_vocabulary_of_either_side(tiny_trained, model_folder):
    pairs = Splits(Corpus(["a"], ["b"]), Corpus(["a"], ["b"]))
    source, target = Start(model_folder).tokenizers(tiny_trained.config, pairs)
    assert source.model_proto == tiny_trained.source_tokenizer.model_proto
    assert target.model_proto == tiny_trained.target_tokenizer.model_proto


def test_a_new_vocabulary_is_that_of_the_new_training_pairs(tiny_trained, model_folder):
    pairs = Splits(Corpus(["жж щ"], ["щ ж"]), Corpus(["ю"], ["ю"]))
    source, target = Start(model_folder, new_vocabulary=True).tokenizers(tiny_trained.config, pairs)
    assert source.model_proto == target.model_proto  # a joint one, as [tokenizer] says
    assert source.decode(source.encode(["жщ"])) == ["жщ"]
    assert "ю" not in source.decode(source.encode(["ю"]))[0]


def test_rows_of_tied_embeddings_are_carried_over(tiny_trained, target_lines, tmp_path):
    tied = dataclasses.replace(tiny_trained.config.model, tied_embeddings="target")
    config = dataclasses.replace(tiny_trained.config, model=tied)
    old = dataclasses.replace(tiny_trained, config=config, model=build_seq2seq(tied))
    save_model(tmp_path / "tied", old)
    target = train_tokenizer(target_lines[:20], 40)
    model = build_seq2seq(dataclasses.replace(tied, target_vocab_size=target.vocab_size))
    Start(tmp_path / "tied", new_vocabulary=True).fill(model, old.source_tokenizer, target)
    before, after = (
        rows_by_piece(ops.convert_to_numpy(each.target_embedding.embeddings), tokenizer)
        for each, tokenizer in ((old.model, old.target_tokenizer), (model, target))
    )
    shared = before.keys() & after.keys()
    assert 10 < len(shared) < len(after)
    for piece in shared:
        np.testing.assert_array_equal(after[piece], before[piece], err_msg=piece)


def test_rows_of_shared_pieces_are_carried_over_and_others_are_the_mean_of_the_pieces_that_spell_them(
    tiny_trained, model_folder, new_model
):
    model, source, target = new_model
    told = Start(model_folder, new_vocabulary=True).fill(model, source, target)
    old, now = values(tiny_trained.model), values(model)
    sides = {
        "source_embedding/embeddings": (source, tiny_trained.source_tokenizer, False),
        "target_embedding/embeddings": (target, tiny_trained.target_tokenizer, False),
        "output/kernel": (target, tiny_trained.target_tokenizer, True),
        "output/bias": (target, tiny_trained.target_tokenizer, True),
    }
    for path in now:
        if path not in sides:
            np.testing.assert_array_equal(now[path], old[path], err_msg=path)
            continue
        tokenizer, before, last = sides[path]
        ours, theirs = (
            rows_by_piece(each[path].T if last else each[path], pieces)
            for each, pieces in ((now, tokenizer), (old, before))
        )
        assert 10 < len(ours.keys() & theirs.keys()) < len(ours)
        longest_first = re.compile("|".join(map(re.escape, sorted(theirs, key=len, reverse=True))))
        for piece, row in ours.items():
            spelled = longest_first.findall(piece) or ["<unk>"]
            expected = np.mean([theirs[each] for each in spelled], axis=0)
            np.testing.assert_allclose(row, expected, atol=1e-7, err_msg=f"{path} {piece} {spelled}")
    shared = [
        len(set(new.pieces(range(new.vocab_size))) & set(before.pieces(range(before.vocab_size))))
        for new, before in (
            (source, tiny_trained.source_tokenizer),
            (target, tiny_trained.target_tokenizer),
        )
    ]
    assert told == (
        f"started from {model_folder}, with {shared[0]} of {source.vocab_size} source pieces, "
        f"{shared[1]} of {target.vocab_size} target pieces and {len(old)} of {len(now)} weights"
    )


@pytest.mark.parametrize(
    "change",
    [{"decoder_units": 12}, {"cell": "lstm"}, {"decoder_layers": 2}, {"embedding_dim": 10}],
)
def test_a_model_of_other_layers_is_refused(tiny_trained, model_folder, change):
    model = build_seq2seq(dataclasses.replace(tiny_trained.config.model, **change))
    with pytest.raises(ConfigError, match=r"holds another model than \[model\] describes"):
        Start(model_folder).fill(model, tiny_trained.source_tokenizer, tiny_trained.target_tokenizer)


@pytest.fixture
def without_copying(copying_trained, tmp_path):
    """A model of the same layers but the pointer-generator, and its folder."""
    config = dataclasses.replace(
        copying_trained.config, model=dataclasses.replace(copying_trained.config.model, copy=False)
    )
    trained = dataclasses.replace(copying_trained, config=config, model=build_seq2seq(config.model))
    save_model(tmp_path / "without", trained)
    return trained, tmp_path / "without"


def test_layers_that_the_trained_model_lacks_start_at_random(copying_trained, without_copying):
    trained, folder = without_copying
    model = build_seq2seq(copying_trained.config.model)
    first, old = values(model), values(trained.model)
    told = Start(folder).fill(model, trained.source_tokenizer, trained.target_tokenizer)
    new = first.keys() - old.keys()
    assert 0 < len(new) < len(old)
    for path, value in values(model).items():
        np.testing.assert_array_equal(value, first[path] if path in new else old[path], err_msg=path)
    assert f"and {len(old)} of {len(first)} weights" in told


def test_a_model_that_would_lose_layers_is_refused(copying_trained, without_copying, tmp_path):
    save_model(tmp_path / "copying", copying_trained)
    without, _ = without_copying
    with pytest.raises(
        ConfigError,
        match=r"holds another model than \[model\] describes: it has 1 of copy/.*, and \[model\] has 0",
    ):
        Start(tmp_path / "copying").fill(without.model, without.source_tokenizer, without.target_tokenizer)


@pytest.fixture(scope="module")
def trained_before(recipe, tmp_path_factory):
    """A folder with a model of the recipe's layers and its own vocabulary, which no test changes."""
    folder = tmp_path_factory.mktemp("before") / "old"
    train(recipe(epochs=1, evaluate_every=0, learning_rate=0.05), folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("new_vocabulary", [False, True])
def test_a_training_starts_from_a_trained_model_and_goes_on_without_it(
    recipe, trained_before, tmp_path, new_vocabulary, capsys
):
    start = Start(trained_before, new_vocabulary)
    config = recipe(epochs=1, evaluate_every=8, learning_rate=1e-9)  # it stays where it starts
    train(config, tmp_path / "new", start=start)
    old, new = load_model(trained_before), load_model(tmp_path / "new")
    assert f"started from {trained_before}" in capsys.readouterr().err
    for ours, theirs in zip(new.model.get_weights(), old.model.get_weights(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert load_checkpoint(tmp_path / "new")[0].finished
    longer = dataclasses.replace(config, training=dataclasses.replace(config.training, epochs=2))
    train(longer, tmp_path / "new", start=Start(tmp_path / "gone", new_vocabulary))
    assert f"{tmp_path / 'gone'} was used only when training began" in capsys.readouterr().err


@pytest.mark.slow
def test_a_model_that_keeps_its_vocabulary_says_how_that_was_made(recipe, trained_before, tmp_path, capsys):
    config = override(
        recipe(epochs=1, evaluate_every=8), ['tokenizer.kind="characters"', "tokenizer.vocab_size=99"]
    )
    train(config, tmp_path / "new", start=Start(trained_before))
    assert f"the vocabulary is that of {trained_before}; [tokenizer]" in capsys.readouterr().err
    assert load_config(tmp_path / "new").tokenizer == load_config(trained_before).tokenizer
    train(config, tmp_path / "new", start=Start(trained_before))


@pytest.mark.slow
def test_a_config_of_data_alone_goes_on_with_the_model_that_it_starts_from(
    pair_files, trained_before, tmp_path
):
    files = "".join(f"{name} = ['{pair_files / name}.tsv']\n" for name in ("train", "dev"))
    (tmp_path / "my.toml").write_text(f"[data]\n{files}[training]\nepochs = 1\n")
    options = ["train", tmp_path / "my.toml", tmp_path / "new", "--from", trained_before]
    result = CliRunner().invoke(main, [str(option) for option in options])
    assert result.exit_code == 0, result.stderr
    assert f"started from {trained_before}" in result.stderr
    before, new = load_config(trained_before), load_config(tmp_path / "new")
    assert (new.model, new.tokenizer, new.search) == (before.model, before.tokenizer, before.search)
    assert new.training.batch_size != before.training.batch_size


def test_with_a_new_vocabulary_a_trained_model_begins_better_than_a_guess():
    folder = packaged.folder("tatoeba-en-es")
    config = override(load_model(folder).config, ["tokenizer.vocab_size=1000"])
    corpus = load_corpus("phrasebook", "en", "es", "dev")
    source, target = Start(folder, new_vocabulary=True).tokenizers(config, Splits(corpus, corpus))
    sizes = {"source_vocab_size": source.vocab_size, "target_vocab_size": target.vocab_size}
    model = build_seq2seq(dataclasses.replace(config.model, **sizes))
    Start(folder, new_vocabulary=True).fill(model, source, target)
    pairs = Corpus(corpus.source[:100], corpus.target[:100])
    assert perplexity(Translator(model, source, target), pairs) < target.vocab_size / 5
