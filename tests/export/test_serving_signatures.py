import numpy as np
import pytest
import tensorflow as tf

from keras_attn.export.saved_model import export_saved_model
from keras_attn.inference.translator import Translator

ASKED_FOR_TEXT = ["serving_default", "nbest", "align"]


@pytest.fixture(scope="module")
def translator(digit_speller):
    return Translator.from_trained(digit_speller)


@pytest.fixture(scope="module")
def lines(digit_pairs):
    return digit_pairs[0]


def test_the_n_best_are_those_of_keras(ask, translator, lines):
    found = ask("nbest", text=lines[:12])
    for line, texts, scores in zip(lines, found["translations"], found["scores"], strict=False):
        (best,) = translator.translate([line], n_best=4)
        expected = [best, *best.alternatives]
        assert [text for text, score in zip(texts, scores, strict=True) if score > -1e9] == [
            t.text for t in expected
        ]
        np.testing.assert_allclose(scores[: len(expected)], [t.score for t in expected], atol=1e-4)
        assert texts[len(expected) :] == [""] * (4 - len(expected))


def test_the_first_of_the_n_best_is_the_translation(ask, lines):
    best, found = ask("serving_default", text=lines), ask("nbest", text=lines)
    assert best["translation"] == [texts[0] for texts in found["translations"]]
    np.testing.assert_allclose(best["score"], found["scores"][:, 0], atol=1e-5)


def test_the_n_best_come_best_first(ask, lines):
    scores = ask("nbest", text=lines)["scores"]
    assert (np.diff(scores, axis=1) <= 0).all()


def test_an_alignment_is_that_of_keras(ask, translator, digit_speller, lines):
    found = ask("align", text=lines[:12])
    for row, expected in enumerate(translator.translate(lines[:12])):
        source = digit_speller.source_tokenizer.pieces(expected.source_ids)
        target = digit_speller.target_tokenizer.pieces(expected.target_ids)
        assert found["translation"][row] == expected.text
        assert [token for token in found["source_tokens"][row] if token] == source
        assert [token for token in found["target_tokens"][row] if token] == target
        weights = found["weights"][row]
        np.testing.assert_allclose(weights[: len(target), : len(source)], expected.weights, atol=1e-5)
        assert not weights[len(target) :].any() and not weights[:, len(source) :].any()


def test_an_alignment_is_as_wide_as_the_longest_sentence_of_the_batch(ask):
    found = ask("align", text=["3", "3 1 4"])
    assert found["weights"].shape == (2, len(found["target_tokens"][0]), len(found["source_tokens"][0]))
    assert found["source_tokens"][1][-1] == "</s>" and found["source_tokens"][0][-1] == ""
    assert found["target_tokens"][1][-1] == "</s>"


def test_a_score_is_the_log_probability_that_keras_gives(ask, translator, digit_speller, digit_pairs):
    sources, targets = digit_pairs
    found = ask("score", text=sources, translation=targets)
    np.testing.assert_allclose(found["log_prob"], translator.score(sources, targets), atol=1e-4)
    ids = digit_speller.target_tokenizer.encode(targets)
    assert found["tokens"].tolist() == [len(row) + 1 for row in ids]
    words = translator.force(sources, targets)
    for row, (tokens, count) in enumerate(zip(found["token_log_probs"], found["tokens"], strict=True)):
        assert tokens.sum() == pytest.approx(words[row].log_prob, abs=1e-4)
        assert tokens[count - 1] == pytest.approx(words[row].words[-1][1], abs=1e-4)
        assert not tokens[count:].any()


def test_a_score_is_that_of_the_search_for_what_the_search_found(ask, translator, lines):
    best = translator.translate(lines)
    found = ask("score", text=lines, translation=[t.text for t in best])
    as_found = found["tokens"] == [len(t.target_ids) for t in best]  # cut into the same sub-words
    assert as_found.mean() > 0.5
    expected = np.array([t.log_prob for t in best])
    np.testing.assert_allclose(found["log_prob"][as_found], expected[as_found], atol=1e-4)


@pytest.mark.parametrize("pair", [("", ""), ("3 1", ""), ("", "three"), ("☃", "three ☃")])
def test_whatever_is_scored_keras_scores_alike(ask, translator, pair):
    found = ask("score", text=[pair[0]], translation=[pair[1]])
    np.testing.assert_allclose(found["log_prob"], translator.score([pair[0]], [pair[1]]), atol=1e-4)


def test_a_translation_is_scored_up_to_the_most_tokens_of_one(ask, translator, digit_speller):
    search = digit_speller.config.search
    most = search.length_limit(search.max_source_length - 1)
    found = ask("score", text=["3"] * 2, translation=["three " * 2 * most, "three " * 3 * most])
    assert found["tokens"].tolist() == [most, most]
    assert found["log_prob"][0] == found["log_prob"][1]
    (whole,) = translator.score(["3"], ["three " * 2 * most])
    assert found["log_prob"][0] > whole


def test_every_text_needs_its_translation(ask):
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected one translation per text"):
        ask("score", text=["3", "1"], translation=["three"])


@pytest.mark.parametrize("line", ["", "  \t ", "☃", "日本 ☃", "\u200b", b"\xff\xfe", "\0"])
def test_a_line_of_which_nothing_is_known_gives_nothing_and_the_score_0(ask, line):
    texts = ["3 1", line, "4"]
    best, several, aligned = (ask(name, text=texts) for name in ASKED_FOR_TEXT)
    assert best["translation"][1] == "" != best["translation"][0]
    assert best["score"][1] == aligned["score"][1] == 0 != best["score"][0]
    assert several["translations"][1] == [""] * 4
    assert several["scores"][1].tolist() == [0, -1e9, -1e9, -1e9]
    assert (
        not any(aligned["source_tokens"][1] + aligned["target_tokens"][1]) and not aligned["weights"][1].any()
    )


def test_one_known_word_among_unknown_ones_is_translated(ask):
    assert ask("serving_default", text=["☃ 3"])["translation"][0] != ""


@pytest.mark.parametrize("name", ["serving_default", "nbest", "align", "score"])
def test_a_batch_may_be_empty(ask, name):
    inputs = {"text": [], **({"translation": []} if name == "score" else {})}
    assert {len(values) for values in ask(name, **inputs).values()} == {0}


@pytest.mark.parametrize("size", [1, 2, 7, 64, 256])
def test_a_line_gets_the_same_answer_alone_and_in_a_ragged_batch_of_any_size(ask, lines, size):
    batch = [*(lines * 5)[: size - 1], "3 1 4 1 5 9 2 6 5 3 5 8 9 7 9"][-size:]
    best, several, aligned = (ask(name, text=batch) for name in ASKED_FOR_TEXT)
    given = ask("score", text=batch, translation=best["translation"])
    for row in {0, size // 2, size - 1}:
        alone = ask("nbest", text=[batch[row]])
        assert alone["translations"][0] == several["translations"][row]
        assert best["translation"][row] == aligned["translation"][row] == alone["translations"][0][0]
        np.testing.assert_allclose(several["scores"][row], alone["scores"][0], atol=1e-4)
        scored = ask("score", text=[batch[row]], translation=[best["translation"][row]])
        np.testing.assert_allclose(given["log_prob"][row], scored["log_prob"][0], atol=1e-4)


@pytest.mark.filterwarnings("ignore:.*were cut there")
def test_longer_input_is_cut_where_keras_cuts_it(ask, translator):
    line = "3 1 4 " * 200
    (cut,) = translator.translate([line])
    assert ask("serving_default", text=[line])["translation"] == [cut.text]
    assert len(cut.source_ids) == translator.search.max_source_length


def test_text_is_read_up_to_a_limit_that_no_line_of_words_reaches(ask, digit_speller):
    limit = 64 * digit_speller.config.search.max_source_length
    spaces = " " * (limit - 1)
    within, beyond = ask("serving_default", text=[f"{spaces}3", f" {spaces}3"])["translation"]
    assert within == ask("serving_default", text=["3"])["translation"][0] != beyond == ""


def test_a_model_without_attention_has_no_alignment(attentionless_trained, source_lines, tmp_path):
    export_saved_model(attentionless_trained, tmp_path / "out", beam_size=1)
    found = tf.saved_model.load(str(tmp_path / "out")).signatures
    assert set(found) == {"serving_default", "nbest", "score"}
    text = tf.constant(source_lines[:3])
    several = found["nbest"](text=text)["translations"].numpy()
    assert several.shape == (3, 1)
    assert several[:, 0].tolist() == found["serving_default"](text=text)["translation"].numpy().tolist()


@pytest.mark.parametrize("name", ["serving_default", "nbest", "align", "score"])
@pytest.mark.parametrize("wrong", [[3], [1.5], "3 1"], ids=["integers", "floats", "no batch"])
def test_what_is_no_batch_of_texts_is_refused_and_the_next_one_answered(signatures, name, wrong):
    given = {key: tf.constant(["3 1"]) for key in signatures[name].structured_input_signature[1]}
    with pytest.raises(tf.errors.InvalidArgumentError):
        signatures[name](**{**given, "text": tf.constant(wrong)})
    assert all(len(tensor) == 1 for tensor in signatures[name](**given).values())


@pytest.mark.parametrize("name", ["serving_default", "nbest", "align", "score"])
@pytest.mark.parametrize("wrong", ["3 1", [["3 1", "4"]]], ids=["a line", "a batch of batches"])
def test_what_is_no_batch_is_told_so_in_words(signatures, name, wrong):
    given = {key: tf.constant(wrong) for key in signatures[name].structured_input_signature[1]}
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="must_be_a_batch_of_lines_even_if_there_is_only_one"
    ):
        signatures[name](**given)
