import dataclasses
import json
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import keras_attn
from keras_attn.config import SearchConfig
from keras_attn.corpora.attribution import attribution
from keras_attn.inference.translator import Translator
from keras_attn.search import Sampling
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer


@pytest.fixture(scope="module")
def lines(source_lines):
    return source_lines[:12]


def with_search(trained, **settings):
    search = dataclasses.replace(trained.config.search, **settings)
    return dataclasses.replace(trained, config=dataclasses.replace(trained.config, search=search))


def test_the_batch_size_changes_nothing(translator, lines):
    alone = translator.translate(lines, batch_size=1)
    together = translator.translate(lines, batch_size=8)
    assert [t.target_ids for t in alone] == [t.target_ids for t in together]
    assert [t.score for t in alone] == pytest.approx([t.score for t in together], abs=1e-4)


def test_lines_come_out_in_the_order_they_went_in(translator, lines):
    assert translator(lines[::-1]) == translator(lines)[::-1]
    assert len(set(translator(lines))) > len(lines) // 2  # they do differ


def test_lines_without_words_give_empty_lines_in_their_places(translator, lines):
    texts = translator(["", lines[0], " \t ", "\u200b", "日本 ☃", lines[1]])
    assert texts == ["", *translator(lines[:1]), "", "", "", *translator(lines[1:2])]


def test_lines_of_which_the_model_knows_nothing_are_counted(translator):
    with pytest.warns(
        UserWarning, match="2 of 4 lines have nothing that the model knows, and stay empty"
    ) as given:
        assert translator(["☃", "the cat", " ", "日本"])[::2] == ["", ""]
    assert len(given) == 1


def test_no_lines_give_no_lines(translator):
    assert translator([]) == []
    assert translator([""]) == [""]


@pytest.mark.parametrize("line", ["a\nb", "\n", "日本語", "😀", "\x00", "a\u2028b", "\ud800", "x" * 3000])
def test_whatever_comes_in_one_line_comes_out(translator, line):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (text,) = translator([line], beam_size=1)
    assert "\n" not in text and "\r" not in text


def test_a_line_end_in_a_translation_becomes_a_space(tiny_trained, lines):
    class Breaking(Tokenizer):
        """A vocabulary whose pieces hold line ends, as one trained elsewhere may."""

        def decode(self, ids):
            return ["one\r\ntwo" for _ in ids]

    breaking = Breaking(tiny_trained.target_tokenizer.model_proto)
    translator = Translator.from_trained(dataclasses.replace(tiny_trained, target_tokenizer=breaking))
    assert translator(lines[:1], beam_size=1) == ["one  two"]


def test_a_long_line_is_cut_with_one_warning_that_counts(tiny_trained):
    translator = Translator.from_trained(with_search(tiny_trained, max_source_length=5))
    with pytest.warns(UserWarning, match="2 of 3 lines had more than 4 sub-words") as caught:
        found = translator.translate(
            ["the cat sees the old dog", "a cat", "the dog likes the big house"], beam_size=1
        )
    assert len(caught) == 1
    assert [len(t.source_ids) for t in found] == [5, 3, 5]
    assert all(t.source_ids[-1] == EOS_ID for t in found)


def test_a_line_of_one_sub_word_too_many_is_cut_with_a_warning(tiny_trained):
    translator = Translator.from_trained(with_search(tiny_trained, max_source_length=3))
    with pytest.warns(UserWarning, match="1 of 1 lines had more than 2 sub-words"):
        (found,) = translator.translate(["the old dog"], beam_size=1)
    assert found.source_ids == (*translator.source_tokenizer.encode(["the old"])[0], EOS_ID)


def test_a_line_that_just_fits_is_not_cut(tiny_trained):
    translator = Translator.from_trained(with_search(tiny_trained, max_source_length=4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (found,) = translator.translate(["the old dog"], beam_size=1)
    assert len(found.source_ids) == 4


def test_no_translation_is_longer_than_its_limit(tiny_trained, lines):
    translator = Translator.from_trained(with_search(tiny_trained, max_length_factor=0.5, max_length_extra=1))
    for found in translator.translate(lines, beam_size=1):
        words = len(found.source_ids) - 1
        assert 2 <= len(found.target_ids) <= max(2, int(0.5 * words + 1))


def test_no_translation_is_empty_unless_the_model_may_say_nothing(tiny_trained, lines):
    bias = tiny_trained.model.get_layer("output").bias
    before = bias.numpy()
    bias.assign(np.where(np.arange(len(before)) == EOS_ID, 100.0, 0.0))  # it would rather say nothing
    for beam_size in (1, 4):
        found = Translator.from_trained(tiny_trained).translate(lines[:3], beam_size=beam_size)
        assert [len(each.target_ids) for each in found] == [2, 2, 2]
        silent = Translator.from_trained(with_search(tiny_trained, min_length=0))
        assert silent(lines[:3], beam_size=beam_size) == ["", "", ""]
    bias.assign(before)


def test_a_translation_longer_than_the_first_buffer_is_found(tiny_trained, lines):
    bias = tiny_trained.model.get_layer("output").bias
    before = bias.numpy()
    bias.assign(np.where(np.arange(len(before)) == EOS_ID, -100.0, 0.0))  # it never ends
    translator = Translator.from_trained(
        with_search(tiny_trained, max_length_factor=0.0, max_length_extra=100)
    )
    found = translator.translate(lines[:2], beam_size=1)
    bias.assign(before)
    assert [len(translation.target_ids) for translation in found] == [100, 100]


def test_a_beam_of_one_is_greedy_search(translator, tiny_trained, lines):
    (found,) = translator.translate(lines[:1], beam_size=1)
    source, target = np.array([found.source_ids]), [BOS_ID]
    for token in found.target_ids:
        logits = np.array(tiny_trained.model([source, np.array([target])]))[0, -1]
        logits[[0, BOS_ID]] = -np.inf
        assert token == logits.argmax()
        target.append(token)


def test_n_best_lists_hold_different_hypotheses_the_finished_ones_first_and_in_order(translator, lines):
    for found in translator.translate(lines, beam_size=3, n_best=3):
        all_three = [found, *found.alternatives]
        assert len({translation.target_ids for translation in all_three}) == 3
        finished = [translation for translation in all_three if translation.target_ids[-1] == EOS_ID]
        assert finished == all_three[: len(finished)]
        scores = [translation.score for translation in finished]
        assert scores == sorted(scores, reverse=True)


def test_an_n_best_list_holds_no_more_than_there_is_to_say(tiny_trained, lines):
    """Of one token there are as many translations as words, EOS among them; padding and BOS are never said."""
    translator = Translator.from_trained(
        with_search(tiny_trained, max_length_factor=0.0, max_length_extra=1, min_length=0)
    )
    words = translator.target_tokenizer.vocab_size - 2
    (found,) = translator.translate(lines[:1], beam_size=words + 5, n_best=words + 5)
    said = [translation.target_ids for translation in (found, *found.alternatives)]
    assert sorted(said) == [(word,) for word in range(words + 2) if word not in (PAD_ID, BOS_ID)]


def test_the_length_penalty_divides_the_log_probability(translator, lines):
    for found in translator.translate(lines, length_penalty=0.5):
        assert found.score == pytest.approx(
            found.log_prob / ((5 + len(found.target_ids)) / 6) ** 0.5, rel=1e-4
        )


def test_calling_gives_the_texts_of_translate(translator, lines):
    assert translator(lines) == [found.text for found in translator.translate(lines)]


def test_attention_weights_fit_the_ids_and_sum_to_one(translator, lines):
    for found in translator.translate(lines):
        assert found.weights.shape == (len(found.target_ids), len(found.source_ids))
        assert found.weights.sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_model_without_attention_translates_without_weights(attentionless_trained, lines):
    translator = Translator.from_trained(attentionless_trained)
    assert all(found.weights is None for found in translator.translate(lines[:2], beam_size=1))
    assert translator.force(lines[:1], ["un chat"])[0].weights is None


def test_sampling_repeats_itself_with_the_same_seed_only(translator, lines):
    first, again, other = (
        [found.target_ids for found in translator.translate(lines, sampling=Sampling(seed=seed))]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_what_is_drawn_for_a_line_depends_on_its_number_and_the_seed_only(translator, lines):
    lines = lines[:1] * 3 + lines
    whole = translator(lines, sampling=Sampling(temperature=2.0))
    assert len(set(whole[:3])) > 1
    assert translator(lines, sampling=Sampling(temperature=2.0), batch_size=2) == whole
    assert translator(lines[2:], sampling=Sampling(temperature=2.0, first_row=2)) == whole[2:]


def test_sampling_from_the_most_probable_word_alone_is_greedy_search(translator, lines):
    sampled = translator.translate(lines, sampling=Sampling(top_k=1))
    assert [found.text for found in sampled] == translator(lines, beam_size=1)
    assert [found.score for found in sampled] == [found.log_prob for found in sampled]


def test_a_score_is_the_sum_of_the_log_probabilities_of_the_words(translator, tiny_trained, lines):
    pairs = [(lines[0], "un chat voit"), (lines[1], "le petit chien aime la maison")]
    scores = translator.score(*zip(*pairs, strict=True))
    for (source, target), score in zip(pairs, scores, strict=True):
        source_ids = [*tiny_trained.source_tokenizer.encode([source])[0], EOS_ID]
        target_ids = [*tiny_trained.target_tokenizer.encode([target])[0], EOS_ID]
        inputs = np.array([source_ids]), np.array([[BOS_ID, *target_ids[:-1]]])
        logits = np.array(tiny_trained.model(list(inputs)), np.float64)[0]
        log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        assert score == pytest.approx(sum(log_probs[t, word] for t, word in enumerate(target_ids)), abs=1e-3)


def test_scores_do_not_depend_on_the_batch(translator, source_lines, target_lines):
    sources, targets = source_lines[:9], target_lines[:9]
    alone = translator.score(sources, targets, batch_size=1)
    assert translator.score(sources, targets, batch_size=8) == pytest.approx(alone, abs=1e-3)


def test_forcing_what_the_model_says_gives_its_probability_and_weights(translator, source_lines):
    ours = translator.translate(source_lines[:40])
    forced = translator.force([found.source for found in ours], [found.text for found in ours])
    same = [pair for pair in zip(ours, forced, strict=True) if pair[0].target_ids == pair[1].target_ids]
    assert (
        len(same) > 1
    )  # other gibberish is cut into other sub-words when it is read back, or was cut at its limit
    for found, force in same:
        assert force.log_prob == pytest.approx(found.log_prob, abs=1e-3)
        assert force.weights == pytest.approx(found.weights, abs=1e-4)


def test_an_empty_target_is_scored_by_its_end_alone(translator):
    (forced,) = translator.force(["the cat"], [""])
    assert forced.target_ids == (EOS_ID,)
    assert forced.log_prob < 0


def test_the_name_of_a_packaged_model_is_told_from_a_folder(tmp_path, monkeypatch, saved_tiny_folder):
    monkeypatch.chdir(tmp_path)
    for folders in (["tatoeba-en-es"], [saved_tiny_folder, "tatoeba-en-es"]):
        with pytest.raises(FileNotFoundError, match=r"Translator\.from_preset\('tatoeba-en-es'\)"):
            Translator.load(*folders)


def test_a_loaded_folder_translates_as_the_model_it_was_saved_from(translator, model_folder, lines):
    assert Translator.load(model_folder)(lines, beam_size=1) == translator(lines, beam_size=1)


def test_training_on_changes_what_a_translator_says(translator, tiny_trained, lines):
    before = translator(lines)
    weights = tiny_trained.model.get_weights()
    try:
        tiny_trained.model.set_weights([-weight for weight in weights])
        assert translator(lines) != before
    finally:
        tiny_trained.model.set_weights(weights)
    assert translator(lines) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam_size": 0}, "beam_size must be at least 1"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"n_best": 0}, "n_best must be from 1 to"),
        ({"length_penalty": -1.0}, "length_penalty must be 0 or more"),
        (
            {"beam_size": 2, "n_best": 3},
            "n_best must be from 1 to the number of hypotheses that the search keeps, 2",
        ),
        ({"sampling": Sampling(), "n_best": 2}, "Sampling draws one translation per line"),
        ({"sampling": Sampling(temperature=0.0)}, "temperature must be above 0"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(translator, options, message):
    with pytest.raises(ValueError, match=message):
        translator.translate(["the cat"], **options)


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_outside_of_32_bits_is_refused(seed):
    with pytest.raises(ValueError, match="seed must be from 0"):
        Sampling(seed=seed)
    assert Sampling(seed=2**32 - 1).seed == 2**32 - 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": "runs/en-de"},
        {"source_tokenizer": None},
        {"source_tokenizer": "source.spm"},
        {"target_tokenizer": "target.spm"},
        {"search": {"beam_size": 3}},
    ],
)
def test_parts_of_another_kind_are_named(tiny_trained, wrong):
    parts = {"model": tiny_trained.model, "source_tokenizer": tiny_trained.source_tokenizer}
    with pytest.raises(
        TypeError, match=rf"{next(iter(wrong))} must be of type .* Received: .* Translator\.load"
    ):
        Translator(**{**parts, **wrong})


def test_as_many_targets_as_sources_are_asked_for(translator):
    with pytest.raises(ValueError, match="got 2 sources and 1 targets"):
        translator.score(["a", "b"], ["c"])


def test_a_source_length_that_holds_no_word_is_refused(tiny_trained):
    with pytest.raises(ValueError, match="max_source_length"):
        Translator.from_trained(with_search(tiny_trained, max_source_length=1))


def test_the_public_names_are_there():
    assert keras_attn.Translator is Translator
    assert set(keras_attn.__all__) <= set(dir(keras_attn))
    assert all(getattr(keras_attn, name) for name in keras_attn.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Translater'"):
        keras_attn.Translater  # noqa: B018


def test_attention_is_there_after_a_call_that_needed_none(tiny_trained, lines):
    translator = Translator.from_trained(tiny_trained)
    translator(lines[:1])
    (found,) = translator.translate(lines[:1])
    assert found.weights.shape == (len(found.target_ids), len(found.source_ids))


def test_a_coverage_penalty_lowers_the_score_of_what_left_words_unread(translator, lines):
    """And is what the attention weights of the translation say it is."""
    plain = translator.translate(lines, beam_size=3)
    found = translator.translate(lines, beam_size=3, coverage_penalty=0.5)
    read = [each for each in found if each.source_ids]
    for each in read:
        missing = np.log(np.clip(each.weights.sum(axis=0), 1e-4, 1.0)).sum()
        expected = each.log_prob / ((5 + len(each.target_ids)) / 6) ** translator.search.length_penalty
        assert each.score == pytest.approx(expected + 0.5 * missing, abs=1e-3)
    assert sum(each.score for each in found) < sum(each.score for each in plain)
    assert [each.text for each in found] == translator(lines, beam_size=3, coverage_penalty=0.5)


def test_a_coverage_penalty_needs_attention(attentionless_trained):
    with pytest.raises(ValueError, match="coverage_penalty needs attention"):
        Translator.from_trained(attentionless_trained)(["the cat"], coverage_penalty=1.0)


IN_ANOTHER_PROCESS = """
import json, pickle, sys

translator = pickle.loads(open(sys.argv[1], "rb").read())
print(json.dumps(translator(sys.argv[2:], beam_size=2)))
"""


@pytest.mark.slow
def test_a_pickled_translator_says_the_same_in_another_process(translator, lines, tmp_path):
    (tmp_path / "translator.pickle").write_bytes(pickle.dumps(translator))
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS, tmp_path / "translator.pickle", *lines[:5]]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == translator(lines[:5], beam_size=2)


def test_a_pickled_translator_keeps_its_settings(tiny_trained):
    settings = {
        "search": SearchConfig(beam_size=7),
        "languages": ("here", "there"),
        "attribution": "by Ada",
    }
    tokenizers = tiny_trained.source_tokenizer, tiny_trained.target_tokenizer
    again = pickle.loads(pickle.dumps(Translator(tiny_trained.model, *tokenizers, **settings)))
    assert {name: getattr(again, name) for name in settings} == settings


def test_a_translator_has_the_settings_of_what_was_trained(tiny_trained):
    data = dataclasses.replace(tiny_trained.config.data, corpus="tatoeba")
    config = dataclasses.replace(tiny_trained.config, data=data)
    translator = Translator.from_trained(dataclasses.replace(tiny_trained, config=config))
    assert translator.languages == ("en", "fr")
    assert translator.attribution == attribution("tatoeba") and translator.search == config.search


def test_an_ensemble_has_the_settings_of_its_first(tiny_trained):
    tokenizers = tiny_trained.source_tokenizer, tiny_trained.target_tokenizer
    settings = [
        {
            "search": SearchConfig(beam_size=size),
            "languages": (f"a{size}", f"b{size}"),
            "attribution": f"by {size}",
        }
        for size in (7, 2)
    ]
    both = Translator.ensemble([Translator(tiny_trained.model, *tokenizers, **each) for each in settings])
    assert {name: getattr(both, name) for name in settings[0]} == settings[0]


def test_one_vocabulary_may_serve_both_sides_and_must_be_the_models(tiny_trained):
    with pytest.raises(
        ValueError, match=r"the target vocabulary has \d+ pieces, but the model was built for"
    ):
        smaller = train_tokenizer(["a b", "c d"], 12)
        Translator(tiny_trained.model, tiny_trained.source_tokenizer, smaller)
