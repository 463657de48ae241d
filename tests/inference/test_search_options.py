"""What a translation may be asked to be: how it begins, what it holds, how long it is; and ensembles."""

import dataclasses
import math
import pickle

import numpy as np
import pytest

from keras_attn.alignment.align import align
from keras_attn.alignment.marks import translate_marked
from keras_attn.config import Beam, SearchConfig
from keras_attn.inference.bulk import BulkTranslator
from keras_attn.inference.options import Options, method_of
from keras_attn.inference.requirements import Requirements
from keras_attn.inference.translator import Translator
from keras_attn.search import Sampling
from keras_attn.special_ids import BOS_ID, EOS_ID
from keras_attn.text.tokenizer import train_tokenizer
from keras_attn.text.words import word_of_pieces


@pytest.fixture(scope="module")
def lines(source_lines):
    return source_lines[:12]


@pytest.fixture(scope="module")
def second(tiny_trained):
    """Another model of the same vocabularies."""
    from keras_attn.models.build import build_seq2seq

    model = build_seq2seq(tiny_trained.config.model)
    draw = np.random.default_rng(9)
    for variable in model.trainable_variables:
        variable.assign(draw.normal(0, 1 if len(variable.shape) > 1 else 0.1, variable.shape))
    return Translator.from_trained(dataclasses.replace(tiny_trained, model=model))


@pytest.fixture(scope="module")
def both(translator, second):
    return Translator.ensemble([translator, second])


@pytest.mark.parametrize("beam_size", [1, 3])
def test_translations_begin_with_their_prefix(translator, lines, beam_size):
    for text in translator(lines, beam_size, prefix="un petit chien"):
        assert text.startswith("un petit chien")


def test_every_line_has_a_prefix_of_its_own_or_none(translator, lines):
    prefixes = ["le chat", "", "voit"] * 4
    texts = translator(lines, prefix=prefixes, batch_size=5)
    assert all(text.startswith(prefix) for text, prefix in zip(texts, prefixes, strict=True))
    assert texts[1::3] == translator(lines)[1::3]


def test_a_prefix_takes_no_room_from_what_follows(translator, lines):
    prefix = "un petit chien voit le vieux chat"
    (found,) = translator.translate(["the"], beam_size=1, prefix=prefix, min_length=20)
    given = len(translator.target_tokenizer.encode([prefix])[0])
    assert len(found.target_ids) > given


def test_what_is_given_of_a_translation_is_counted_in_sub_words(translator):
    """The prefix, and each term as often as it occurs."""
    tokenizer = translator.target_tokenizer
    terms = {"cat": "chien vert", "dog": "arbre"}
    lines = ["the cat dog cat", "a bird", "the dog"]
    required = Requirements(
        lines, translator.source_tokenizer, tokenizer, prefix=["un petit", "", "le"], glossary=terms
    )
    prefix, chien, arbre, le = tokenizer.encode(["un petit", "chien vert", "arbre", "le"])
    rooms = [len(prefix) + 2 * len(chien) + len(arbre), 0, len(le) + len(arbre)]
    assert [required.room(row) for row in range(3)] == rooms
    asked = required.of([2, 1, 0], 3, 6)
    assert [[i for i in row if i] for row in asked["prefix"].tolist()] == [le, [], prefix]
    phrases = [[i for i in phrase if i > 0] for phrase in asked["phrases"].ids[2].tolist()]
    assert sorted(phrases) == sorted([chien, chien, arbre, []])
    assert required.of([1], 1, 6) == {}


def test_a_phrase_belongs_to_the_sub_words_of_its_term(translator):
    source, target = translator.source_tokenizer, translator.target_tokenizer
    line, terms = "the cat dog cat", {"cat": "chien vert", "dog": "arbre"}
    required = Requirements([line], source, target, prefix=None, glossary=terms)
    (ids,) = source.encode([line])
    words = np.array(word_of_pieces(source.pieces(ids)))
    belongs = required.of([0], 1, len(ids))["phrases"].terms[0]
    arbre, first, second = (set(words[row > 0]) for row in belongs[:3])
    assert (arbre, first, second) == ({2}, {1}, {3})  # the dog, the first cat, the second
    assert required.of([0], 1, 1)["phrases"].terms[0, :3].tolist() == [[1], [1], [1]]  # cut before the terms


def test_what_was_sampled_begins_with_its_prefix_too(translator, lines):
    sampled = translator(lines, sampling=Sampling(temperature=2.0), prefix="la maison", min_length=5)
    assert all(text.startswith("la maison") for text in sampled)


def test_translations_have_the_least_length(translator, lines):
    for found in translator.translate(lines, min_length=9):
        assert len(found.target_ids) >= 9


def test_nothing_is_said_twice(translator, lines):
    repeated = 0
    for free, found in zip(
        translator.translate(lines), translator.translate(lines, no_repeat_ngram=1), strict=True
    ):
        repeated += len(set(free.target_ids)) < len(free.target_ids)
        assert len(set(found.target_ids)) == len(found.target_ids)
    assert repeated  # else the test shows nothing


def test_the_settings_of_the_model_hold(tiny_trained, lines):
    search = dataclasses.replace(tiny_trained.config.search, min_length=9, no_repeat_ngram=1)
    config = dataclasses.replace(tiny_trained.config, search=search)
    for found in Translator.from_trained(dataclasses.replace(tiny_trained, config=config)).translate(lines):
        assert len(found.target_ids) >= 9
        assert len(set(found.target_ids)) == len(found.target_ids)


def test_an_option_of_0_turns_off_what_the_settings_turn_on():
    settings = SearchConfig(length_penalty=1.5, coverage_penalty=0.5, min_length=9, no_repeat_ngram=2)
    off = dict.fromkeys(("length_penalty", "coverage_penalty", "min_length", "no_repeat_ngram"), 0)
    assert method_of(None, off, settings) == Beam(settings.beam_size, 0, 0, min_length=0, no_repeat_ngram=0)


def test_an_option_of_none_counts_as_left_out(translator, lines):
    assert translator(lines, **dict.fromkeys(Options.__annotations__)) == translator(lines)


def test_settings_for_every_search_hold_for_sampling_too_unless_the_call_says_otherwise():
    settings = SearchConfig(min_length=4, no_repeat_ngram=2)

    def constraints(sampling, **options):
        method = method_of(None, {"sampling": sampling, **options}, settings)
        return method.min_length, method.no_repeat_ngram

    assert constraints(None) == constraints(Sampling()) == (4, 2)
    assert constraints(Sampling(min_length=7)) == (7, 2)
    assert constraints(Sampling(min_length=7), min_length=0, no_repeat_ngram=3) == (0, 3)


def test_a_coverage_penalty_of_the_settings_is_that_of_the_option(tiny_trained, translator, lines):
    search = dataclasses.replace(tiny_trained.config.search, coverage_penalty=0.5)
    config = dataclasses.replace(tiny_trained.config, search=search)
    settled = Translator.from_trained(dataclasses.replace(tiny_trained, config=config))
    found, asked, without = (
        [each.score for each in translate(lines)]
        for translate in (
            settled.translate,
            lambda lines: translator.translate(lines, coverage_penalty=0.5),
            translator.translate,
        )
    )
    assert found == pytest.approx(asked, abs=1e-5) and found != pytest.approx(without, abs=1e-3)


def times(phrase, text):
    wanted, words = phrase.split(), text.split()
    return sum(words[i : i + len(wanted)] == wanted for i in range(len(words)))


@pytest.mark.parametrize("beam_size", [2, 4])
def test_terms_are_translated_as_the_glossary_has_it(translator, source_lines, beam_size):
    glossary = {"cat": "chien vert", "old": "jeune", "house tree": "arbre"}
    texts = translator(source_lines[:60], beam_size, glossary=glossary)
    asked = 0
    for line, text in zip(source_lines, texts, strict=False):
        words = line.split()
        asked += "cat" in words
        if "cat" in words:
            assert times("chien vert", text) >= words.count("cat")
        if "old" in words:
            assert times("jeune", text) >= words.count("old")
        if "house tree" in line:
            assert times("arbre", text)
    assert asked > 10


def test_a_term_is_said_as_often_as_it_occurs_whatever_stands_between(translator):
    glossary = {"cat": "arbre", "old": "jeune"}
    (text,) = translator(["the cat likes old cat old cat"], 4, glossary=glossary)
    assert times("arbre", text) >= 3 and times("jeune", text) >= 2


def test_lines_without_terms_are_translated_as_ever(translator, lines):
    glossary = {"bird": "oiseau"}
    for line, text, free in zip(lines, translator(lines, glossary=glossary), translator(lines), strict=True):
        assert "bird" in line.split() or text == free


def test_diversity_gives_lists_that_differ_more(translator, lines):
    def beginnings(**options):
        found = translator.translate(lines, 5, n_best=5, **options)
        return sum(len({each.target_ids[:2] for each in (best, *best.alternatives)}) for best in found)

    assert beginnings(diversity=4.0) > beginnings()


def test_the_probabilities_of_the_words_make_that_of_the_translation(translator, lines):
    for best in translator.translate(lines, n_best=2, word_scores=True):
        for found in (best, *best.alternatives):
            words = [word for word, _ in found.words]
            assert [word for word in words if word != "</s>"] == found.text.split()
            assert (words[-1] == "</s>") == (found.target_ids[-1] == EOS_ID)
            assert math.fsum(p for _, p in found.words) == pytest.approx(found.log_prob, abs=1e-3)


def test_the_probability_of_a_word_is_the_models_own(translator, tiny_trained):
    (found,) = translator.force(["the cat"], ["un chat"])
    pieces = translator.target_tokenizer.pieces(found.target_ids)
    inputs = np.array([found.source_ids]), np.array([[BOS_ID, *found.target_ids[:-1]]])
    logits = np.array(tiny_trained.model(list(inputs)), np.float64)[0]
    log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    of_pieces = [log_probs[t, word] for t, word in enumerate(found.target_ids)]
    second = next(i for i, piece in enumerate(pieces) if i and piece.startswith("▁"))
    assert [word for word, _ in found.words] == ["un", "chat", "</s>"]
    expected = [sum(of_pieces[:second]), sum(of_pieces[second:-1]), of_pieces[-1]]
    assert [p for _, p in found.words] == pytest.approx(expected, abs=1e-3)


def test_an_ensemble_says_with_the_mean_of_the_probabilities(
    translator, second, both, source_lines, target_lines
):
    forced = [each.force(source_lines[:5], target_lines[:5]) for each in (translator, second, both)]
    for one, other, together in zip(*forced, strict=True):
        pairs = zip(one.words, other.words, together.words, strict=True)
        for (word, first), (_, again), (_, mean) in list(pairs):
            if len(translator.target_tokenizer.encode([word])[0]) == 1:  # words of one piece: the mean itself
                assert math.exp(mean) == pytest.approx((math.exp(first) + math.exp(again)) / 2, rel=1e-3)
        assert together.weights == pytest.approx((one.weights + other.weights) / 2, abs=1e-5)


def test_what_an_ensemble_says_has_the_probability_that_it_finds_for_it(translator, second, both, lines):
    found = both.translate(lines, word_scores=True)
    for each in found:
        assert math.fsum(p for _, p in each.words) == pytest.approx(each.log_prob, abs=1e-3)
    assert both(lines) != translator(lines) != second(lines)


def test_an_ensemble_of_twice_the_same_says_what_the_model_says(translator, lines):
    assert Translator.ensemble([translator, translator])(lines) == translator(lines)


def test_an_ensemble_in_which_a_model_has_no_attention_has_none(translator, attentionless_trained, lines):
    mixed = Translator.ensemble([translator, Translator.from_trained(attentionless_trained)])
    assert [found.weights for found in mixed.translate(lines[:3])] == [None] * 3


def test_an_ensemble_keeps_to_constraints(both, lines):
    assert all(" chien " in f" {text} " for text in both(["the cat"], glossary={"cat": "chien"}))
    assert all(text.startswith("un petit") for text in both(lines, beam_size=1, prefix="un petit"))


def test_folders_load_as_an_ensemble(model_folder, translator, lines):
    assert Translator.load(model_folder, model_folder)(lines[:3]) == translator(lines[:3])


@pytest.mark.slow
def test_an_ensemble_can_be_pickled(both, lines):
    assert pickle.loads(pickle.dumps(both))(lines[:3]) == both(lines[:3])


@pytest.mark.parametrize("translators", [[], ["a", "b"], "one"])
def test_an_ensemble_is_made_of_translators(translators, translator):
    translators = translator if translators == "one" else translators
    with pytest.raises(
        ValueError, match=r"needs a list of translators, at least one\. Received: .* Translator\.load"
    ):
        Translator.ensemble(translators)


def test_an_ensemble_takes_models_of_one_vocabulary(translator, tiny_trained, source_lines):
    other = train_tokenizer(source_lines[:100], tiny_trained.source_tokenizer.vocab_size)
    stranger = Translator(tiny_trained.model, tiny_trained.source_tokenizer, tiny_trained.target_tokenizer)
    stranger.source_tokenizer = other
    with pytest.raises(ValueError, match="the source vocabularies of the first and of model 2 differ"):
        Translator.ensemble([translator, stranger])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prefix": ["le", "la"]}, "expected one prefix per line; got 2 for 1 lines"),
        ({"prefix": "日本"}, "the target vocabulary cannot spell '日本'"),
        ({"glossary": {"cat": "日本"}}, "the target vocabulary cannot spell '日本'"),
        ({"glossary": {"cat": "chat"}, "beam_size": 1}, "a glossary needs beam search"),
        ({"glossary": {"cat": "chat"}, "sampling": Sampling()}, "a glossary needs beam search"),
        ({"min_length": -1}, "min_length must be 0 or more"),
        ({"min_length": 10_001}, "min_length must be at most 10,000. Received: min_length=10001"),
        ({"beam_size": 1, "coverage_penalty": 0.5}, "need a beam_size of at least 2"),
        ({"beam_size": 1, "diversity": 0.5}, "need a beam_size of at least 2"),
        ({"diversity": -1.0}, "diversity must be 0 or more"),
        ({"diversity": 1.0, "glossary": {"dog": "chien"}}, "a glossary and diversity do not go together"),
        ({"prefix": ["le", None]}, "expected text; got None in row 1 of prefix"),
        ({"glossary": "terms.tsv"}, r"Glossary\.read"),
        ({"glossary": []}, "a glossary must be a mapping"),
        (
            {"sampling": {"temperature": 1}},
            r"sampling must be a Sampling .*Received: sampling={'temperature': 1}",
        ),
        ({"sampling": True}, "sampling must be a Sampling .*Received: sampling=True"),
        ({"sampling": Sampling(), "beam_size": 4}, r"do not apply to sampling.*Received: beam_size=4$"),
        (
            {"sampling": Sampling(), "length_penalty": 0},
            r"do not apply to sampling.*Received: length_penalty=0$",
        ),
        ({"beam_size": "3"}, "beam_size must be a whole number. Received: beam_size='3'"),
        ({"no_repeat_ngram": 2.5}, "no_repeat_ngram must be a whole number. Received: no_repeat_ngram=2.5"),
        (
            {"length_penalty": math.inf},
            "length_penalty must be a finite number. Received: length_penalty=inf",
        ),
        ({"n_best": 2.0}, "n_best must be a whole number. Received: n_best=2.0"),
        ({"batch_size": 2.5}, "batch_size must be a whole number. Received: batch_size=2.5"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused(translator, options, message):
    with pytest.raises(ValueError, match=message):
        translator.translate(["the cat"], **options)


def test_prefixes_that_are_no_sequence_are_refused(translator):
    with pytest.raises(TypeError, match="expected prefix as a sequence of strings"):
        translator(["the cat"], prefix=3)


def test_numbers_of_numpy_are_numbers(translator, lines):
    options = {"n_best": np.int64(2), "batch_size": np.int32(5), "length_penalty": np.float32(0.5)}
    found = translator.translate(lines, np.int64(3), **options)
    expected = translator.translate(lines, 3, n_best=2, length_penalty=0.5)
    assert [each.text for each in found] == [each.text for each in expected]


@pytest.mark.parametrize("option", ["n_best", "word_scores"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda t, **options: t(["the cat"], **options),
        lambda t, **options: translate_marked(t, ["the cat"], **options),
        lambda t, **options: BulkTranslator("folder", **options),
    ],
)
def test_what_a_call_for_texts_cannot_show_is_refused(translator, ask, option):
    with pytest.raises(ValueError, match=rf"{option} does not apply here, .* use translate\(\)"):
        ask(translator, **{option: 3})


def test_an_unknown_option_is_an_error(translator):
    with pytest.raises(TypeError, match="unexpected keyword argument 'beem_size'"):
        translator(["the cat"], beem_size=3)


def test_a_prefix_and_a_term_in_capitals_stay_so():
    tokenizer = train_tokenizer(["NASA", "it is NASA", "it is Nasa"], 40, lower_capitals=True)
    required = Requirements(["it"], tokenizer, tokenizer, prefix="NASA", glossary={"it": "NASA"}).of(
        [0], 1, 2
    )
    (prefix,), (((*phrase, _),),) = required["prefix"].tolist(), required["phrases"].ids.tolist()
    assert tokenizer.decode([prefix, phrase]) == ["NASA", "NASA"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda t, lines: t(lines),
        lambda t, lines: t(lines, glossary={"cat": "chat"}),
        lambda t, lines: t.translate(lines),
        lambda t, lines: t.force(lines, ["a"]),
        lambda t, lines: t.score(["a"], lines),
        lambda t, lines: align(t, lines, ["a"]),
        translate_marked,
        lambda t, lines: BulkTranslator("tatoeba-en-es").translate(lines),
    ],
)
def test_lines_are_a_sequence_of_strings_wherever_they_are_asked_for(translator, ask):
    with pytest.raises(TypeError, match="expected lists of lines; got one string"):
        ask(translator, "the cat")
    with pytest.raises(TypeError, match=r"as a sequence of strings. Received: set\."):
        ask(translator, {"the cat"})
    with pytest.raises(ValueError, match="expected text; got None in row 0"):
        ask(translator, [None])


def test_lines_may_be_an_array(translator, lines):
    assert translator(np.array(lines)) == translator(lines)
