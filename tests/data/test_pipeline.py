import dataclasses
import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from keras_attn.config import ConfigError, DataConfig, TrainingConfig
from keras_attn.data.pipeline import WHOLE, Share, training_batches
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID
from keras_attn.text.corpus import Corpus, CorpusError, read_pairs
from keras_attn.text.tokenizer import train_tokenizer
from keras_attn.text.words import word_of_pieces


def make_corpus(pairs=300, longest=20):
    draw = random.Random(0)
    words = ["red", "green", "blue", "one", "two", "three", "dog", "cat"]
    source = [" ".join(draw.choices(words, k=draw.randint(1, longest))) + f" {n}" for n in range(pairs)]
    return Corpus(source, [line.upper() for line in source])


@pytest.fixture(scope="module")
def corpus():
    return make_corpus()


@pytest.fixture(scope="module")
def tokenizer(corpus):
    return train_tokenizer(corpus.source + corpus.target, vocab_size=200)


@pytest.fixture(scope="module")
def linked(corpus):
    """Every line is linked to its translation word by word, backwards; words have as many sub-words as they have."""
    lengths = [len(line.split()) for line in corpus.source]
    return dataclasses.replace(
        corpus, links=[{(length - 1 - j, j) for j in range(length)} for length in lengths]
    )


@pytest.fixture(scope="module")
def batches_of(corpus, tokenizer):
    def batches_of(corpus=corpus, max_length=100, **training):
        data = DataConfig(max_length=max_length)
        return training_batches(corpus, tokenizer, tokenizer, data, TrainingConfig(**training))

    return batches_of


def take(batches, count, start_step=0, share=WHOLE):
    return list(batches.stream(start_step, share).take(count).as_numpy_iterator())


def decoded(tokenizer, batches):
    """The pairs of all batches, as text, without rows that are padding alone."""
    return [
        pair
        for (source, _), target_out, weight in batches
        for pair in zip(
            *(tokenizer.decode(ids[weight[:, 0] > 0].tolist()) for ids in (source, target_out)), strict=True
        )
    ]


def assert_same_batches(first, second):
    flat = [[array for (s, t), o, w in batches for array in (s, t, o, w)] for batches in (first, second)]
    assert len(flat[0]) == len(flat[1])
    assert all(np.array_equal(a, b) for a, b in zip(*flat, strict=True))


def test_a_batch_frames_source_and_target_with_bos_and_eos(tokenizer, batches_of):
    [source], [target] = tokenizer.encode(["red dog"]), tokenizer.encode(["BLUE CAT"])
    [((source_in, target_in), target_out, weight)] = take(batches_of(Corpus(["red dog"], ["BLUE CAT"])), 1)
    assert source_in.tolist() == [[*source, EOS_ID]]
    assert target_in.tolist() == [[BOS_ID, *target]]
    assert target_out.tolist() == [[*target, EOS_ID]]
    assert weight.tolist() == [[1.0] * (len(target) + 1)]


def test_a_shorter_pair_is_padded_on_the_right_and_weighs_nothing_there(tokenizer, batches_of):
    corpus = Corpus(["red", "red red red"], ["ONE", "ONE ONE ONE"])
    [((source, target_in), target_out, weight)] = take(batches_of(corpus), 1)
    [one] = tokenizer.encode(["ONE"])
    [short] = np.flatnonzero((target_out == PAD_ID).any(axis=1))
    padding = [PAD_ID] * (target_out.shape[1] - len(one) - 1)
    assert target_in[short].tolist() == [BOS_ID, *one, *padding]
    assert target_out[short].tolist() == [*one, EOS_ID, *padding]
    assert weight[short].tolist() == [1.0] * (len(one) + 1) + [0.0] * len(padding)
    assert source[short].tolist()[-1] == PAD_ID


def test_ids_are_int32_and_weights_float32(batches_of):
    [((source, target_in), target_out, weight)] = take(batches_of(), 1)
    assert [a.dtype for a in (source, target_in, target_out, weight)] == [*["int32"] * 3, "float32"]


def test_batches_have_few_shapes(batches_of):
    batches = batches_of(batch_size=7)
    shapes = {(s.shape, t.shape) for (s, _), t, _ in take(batches, batches.steps_per_epoch, start_step=5)}
    assert 2 < len(shapes) <= 12


@pytest.mark.parametrize("budget", [{"batch_size": 16}, {"batch_size": 0, "batch_tokens": 150}])
@pytest.mark.parametrize("epoch", [0, 3])
def test_an_epoch_holds_every_pair_once(corpus, tokenizer, batches_of, budget, epoch):
    batches = batches_of(**budget)
    steps = batches.steps_per_epoch
    pairs = decoded(tokenizer, take(batches, steps, start_step=epoch * steps))
    assert sorted(pairs) == sorted(zip(corpus.source, corpus.target, strict=True))
    assert batches.pairs == 300


def test_the_last_rows_of_the_longest_batch_are_padding_alone_where_pairs_run_out(batches_of):
    batches = take(batches_of(batch_size=16), 19)  # 300 pairs
    assert all(len(weight) == 16 for _, _, weight in batches)
    blank = [
        (source[row], target[row], out[row])
        for (source, target), out, weight in batches
        for row in range(16)
        if not weight[row].any()
    ]
    assert len(blank) == 4 and not any(ids.any() for row in blank for ids in row)


def test_a_token_budget_counts_target_tokens_with_padding(batches_of):
    batches = batches_of(batch_size=0, batch_tokens=150)
    sizes = [target_out.size for _, target_out, _ in take(batches, batches.steps_per_epoch)]
    assert max(sizes) <= 150
    assert np.mean(sizes) > 100


def test_a_pair_longer_than_the_token_budget_comes_alone(batches_of):
    batches = batches_of(batch_size=0, batch_tokens=1)
    assert batches.steps_per_epoch == 300
    assert all(len(target_out) == 1 for _, target_out, _ in take(batches, 300))


def test_a_budget_larger_than_the_corpus_gives_one_batch(batches_of):
    batches = batches_of(batch_size=1000)
    assert batches.steps_per_epoch == 1
    assert all(len(target_out) == 300 for _, target_out, _ in take(batches, 2))


def test_the_same_seed_gives_the_same_batches(batches_of):
    assert_same_batches(take(batches_of(seed=3), 20), take(batches_of(seed=3), 20))


def test_another_seed_and_another_epoch_give_other_batches(tokenizer, batches_of):
    batches = batches_of(batch_size=16, seed=3)
    steps = batches.steps_per_epoch
    orders = [
        decoded(tokenizer, take(batches, steps)),
        decoded(tokenizer, take(batches, steps, start_step=steps)),
        decoded(tokenizer, take(batches_of(batch_size=16, seed=4), steps)),
    ]
    assert orders[0] != orders[1] and orders[0] != orders[2] and orders[1] != orders[2]


def test_pairs_meet_other_pairs_in_every_epoch(tokenizer, batches_of):
    batches = batches_of(batch_size=16)
    steps = batches.steps_per_epoch
    first, second = (
        {frozenset(decoded(tokenizer, [batch])) for batch in take(batches, steps, start)}
        for start in (0, steps)
    )
    assert not first & second


def test_batches_do_not_come_in_the_order_of_their_length(batches_of):
    batches = batches_of(batch_size=16)
    lengths = [source.shape[1] for (source, _), _, _ in take(batches, batches.steps_per_epoch)]
    order = np.corrcoef(np.arange(len(lengths)), lengths)[0, 1]
    assert abs(order) < 0.6


@pytest.mark.parametrize("start_step", [0, 1, 18, 19, 20, 45])  # an epoch has 19 steps
def test_a_resumed_stream_goes_on_as_an_unbroken_one(batches_of, start_step):
    batches = batches_of(batch_size=16)
    assert batches.steps_per_epoch == 19
    assert_same_batches(take(batches, 22, start_step), take(batches, start_step + 22)[start_step:])


class TestSubwordSampling:
    ALPHA = 0.3

    def test_every_epoch_cuts_the_same_text_anew(self, corpus, tokenizer, batches_of):
        batches = batches_of(subword_sampling=self.ALPHA, batch_size=300)
        (first,), (second,) = take(batches, 1), take(batches, 1, start_step=1)
        assert batches.steps_per_epoch == 1
        for epoch in (first, second):
            assert sorted(decoded(tokenizer, [epoch])) == sorted(
                zip(corpus.source, corpus.target, strict=True)
            )
        cuts = [{tuple(row[row != PAD_ID]) for row in epoch[0][0]} for epoch in (first, second)]
        assert len(cuts[0] & cuts[1]) < 60  # of 300

    def test_the_same_seed_gives_the_same_cuts_and_another_one_others(self, batches_of):
        batches = [take(batches_of(subword_sampling=self.ALPHA, seed=seed), 20) for seed in (3, 3, 4)]
        assert_same_batches(*batches[:2])
        (first, _), (other, _) = batches[1][0][0], batches[2][0][0]
        assert not np.array_equal(first, other)

    @pytest.mark.parametrize("start_step", [7, 19, 30])
    def test_a_resumed_stream_goes_on_as_an_unbroken_one(self, batches_of, start_step):
        batches = batches_of(subword_sampling=self.ALPHA, batch_size=16)
        assert_same_batches(take(batches, 22, start_step), take(batches, start_step + 22)[start_step:])

    def test_source_and_target_are_cut_apart(self, tokenizer, batches_of):
        lines = ["red green blue one two three dog cat"] * 50
        [((source, _), target_out, _)] = take(
            batches_of(Corpus(lines, lines), subword_sampling=self.ALPHA), 1
        )
        sides = [[tuple(row[row != PAD_ID]) for row in side] for side in (source, target_out)]
        assert sides[0] != sides[1]

    def test_pairs_are_dropped_by_their_best_cut(self, tokenizer, batches_of):
        corpus = Corpus(["red", "dog dog dog dog", "blue"], ["CAT", "CAT", "ONE"])
        longest = max(len(row) for row in tokenizer.encode(["red", "CAT", "blue", "ONE"]))
        batches = batches_of(corpus, max_length=longest, subword_sampling=0.1)
        assert batches.pairs == 2
        assert sorted(decoded(tokenizer, take(batches, 1))) == [("blue", "ONE"), ("red", "CAT")]


class TestGuidedAlignment:
    def test_the_reference_is_each_words_links_and_nothing_at_eos_and_padding(self, tokenizer, batches_of):
        corpus = Corpus(["red dog"], ["BLUE CAT"], links=[{(1, 0)}])  # dog -> BLUE; red and CAT are alone
        [(_, (target_out, reference), (weight, linked))] = take(batches_of(corpus, guided_alignment=1.0), 1)
        dog = [number == 1 for number in word_of_pieces(tokenizer.pieces(tokenizer.encode(["red dog"])[0]))]
        blue = [number == 0 for number in word_of_pieces(tokenizer.pieces(tokenizer.encode(["BLUE CAT"])[0]))]
        expected = np.outer([*blue, False], [*dog, False]) / sum(dog)
        np.testing.assert_allclose(reference, [expected])
        assert linked.tolist() == [[float(x) for x in [*blue, False]]]
        assert weight.tolist() == [[1.0] * target_out.shape[1]]

    def test_links_stay_with_their_pair_in_every_batch(self, tokenizer, linked, batches_of):
        batches = batches_of(linked, guided_alignment=1.0, batch_size=7)
        for (source, _), (target_out, reference), (_, has_links) in take(batches, 50, start_step=3):
            assert (has_links == np.isin(target_out, [PAD_ID, EOS_ID], invert=True)).all()
            for row in np.flatnonzero(source.any(axis=1)):
                words = [word_of_pieces(tokenizer.pieces(ids)) for ids in (target_out[row], source[row])]
                count = words[0][list(target_out[row]).index(EOS_ID)]
                for t, s in np.argwhere(reference[row]):
                    assert words[0][t] + words[1][s] == count - 1

    def test_a_dropped_pair_takes_its_links_along(self, tokenizer, batches_of):
        corpus = Corpus(["dog dog dog dog", "red"], ["CAT", "ONE"], links=[{(3, 0)}, {(0, 0)}])
        longest = max(len(row) for row in tokenizer.encode(["red", "CAT", "ONE"]))
        batches = batches_of(corpus, max_length=longest, guided_alignment=1.0)
        [((source, _), (_, reference), _)] = take(batches, 1)
        assert batches.pairs == 1
        red = source.shape[1] - 1
        np.testing.assert_allclose(reference[0, 0], [1 / red] * red + [0.0])

    def test_inputs_and_weights_are_those_of_plain_batches(self, linked, batches_of):
        plain = take(batches_of(linked), 5)
        guided = take(batches_of(linked, guided_alignment=0.1), 5)
        assert_same_batches(plain, [(inputs, out, weight) for inputs, (out, _), (weight, _) in guided])

    @pytest.mark.parametrize("start_step", [7, 19])
    def test_a_resumed_stream_goes_on_as_an_unbroken_one(self, linked, batches_of, start_step):
        batches = batches_of(linked, guided_alignment=1.0, batch_size=16)
        first, second = take(batches, 8, start_step), take(batches, start_step + 8)[start_step:]
        for (_, (_, reference), (_, linked)), (_, (_, other), (_, also)) in zip(first, second, strict=True):
            np.testing.assert_array_equal(reference, other)
            np.testing.assert_array_equal(linked, also)


def test_nobody_who_leaves_a_stream_waits_for_a_tuning_thread(batches_of):
    """Where TensorFlow tunes a pipeline, deleting its iterator has been seen to wait 20 seconds, at the end of `fit`."""
    assert batches_of().stream().options().autotune.enabled is False


def test_pairs_with_too_many_sub_words_on_either_side_are_dropped_and_counted(tokenizer, batches_of):
    corpus = Corpus(["red", "dog dog dog dog", "dog", "blue"], ["CAT", "CAT", "CAT CAT CAT CAT", "ONE"])
    short, long = ({len(row) for row in tokenizer.encode(lines)} for lines in (["red", "CAT"], ["dog " * 4]))
    assert max(short) < min(long)
    batches = batches_of(corpus, max_length=min(long) - 1)
    assert batches.pairs == 2
    assert sorted(decoded(tokenizer, take(batches, 1))) == [("blue", "ONE"), ("red", "CAT")]


def test_a_pair_of_exactly_the_longest_length_stays(tokenizer, batches_of):
    corpus = Corpus(["red dog"], ["red dog"])
    [ids] = tokenizer.encode(corpus.source)
    assert batches_of(corpus, max_length=len(ids)).pairs == 1
    with pytest.raises(CorpusError, match=f"none of the 1 pairs has from 1 to {len(ids) - 1} sub-words"):
        batches_of(corpus, max_length=len(ids) - 1)


def test_a_line_that_normalises_to_nothing_is_dropped_and_counted(tokenizer, batches_of):
    batches = batches_of(Corpus(["red", "\u200b"], ["RED", "DOG"]))
    assert batches.pairs == 1


def test_a_nul_at_the_end_of_a_line_is_not_lost(tokenizer, batches_of):
    [((source, _), _, _)] = take(batches_of(Corpus(["red\x00"], ["RED"])), 1)
    assert source.tolist() == [[*tokenizer.encode(["red\x00"])[0], EOS_ID]]


@pytest.mark.parametrize("size, tokens", [(0, 0), (64, 2048)])
def test_anything_but_one_budget_is_refused(batches_of, size, tokens):
    with pytest.raises(ConfigError, match=r"set one of training\.batch_size .* and training\.batch_tokens"):
        batches_of(batch_size=size, batch_tokens=tokens)


@pytest.mark.parametrize("budget", [{"batch_size": 64}, {"batch_size": 0, "batch_tokens": 1500}])
def test_real_sentences_need_little_padding(budget):
    if "KERAS_ATTN_DATA" not in os.environ:
        pytest.skip("set KERAS_ATTN_DATA to the folder of the corpora")
    folder = Path(os.environ["KERAS_ATTN_DATA"], "multi30k")
    corpus = read_pairs([folder / "train.en.gz", folder / "train.de.gz"])
    tokenizer = train_tokenizer(corpus.source[:5000] + corpus.target[:5000], vocab_size=4000)
    batches = training_batches(corpus, tokenizer, tokenizer, DataConfig(), TrainingConfig(**budget))
    arrays = [a for (s, _), t, _ in take(batches, batches.steps_per_epoch) for a in (s, t)]
    padding = sum((a == PAD_ID).sum() for a in arrays) / sum(a.size for a in arrays)
    print(f"{padding:.1%} of {batches.steps_per_epoch} batches is padding")
    assert batches.pairs == 29_000
    assert 0.0 < padding < 0.12


@pytest.mark.slow
def test_fit_takes_the_batches_on_the_jax_backend():
    code = textwrap.dedent("""
        import keras
        from keras_attn.config import DataConfig, TrainingConfig
        from keras_attn.data.pipeline import training_batches
        from keras_attn.text.corpus import Corpus
        from keras_attn.text.tokenizer import train_tokenizer

        corpus = Corpus([f"red dog {n}" for n in range(40)], [f"RED DOG {n}" for n in range(40)])
        tokenizer = train_tokenizer(corpus.source + corpus.target, vocab_size=60)
        batches = training_batches(corpus, tokenizer, tokenizer, DataConfig(), TrainingConfig(batch_size=8))
        source, target_in = (keras.Input([None], dtype="int32") for _ in range(2))
        embed = keras.layers.Embedding(tokenizer.vocab_size, 8)
        memory = keras.ops.mean(embed(source), axis=1, keepdims=True)
        logits = keras.layers.Dense(tokenizer.vocab_size)(embed(target_in) + memory)
        model = keras.Model([source, target_in], logits)
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        losses = model.fit(
            batches.stream(), steps_per_epoch=batches.steps_per_epoch, epochs=2, verbose=0
        ).history["loss"]
        print(keras.backend.backend(), losses[1] < losses[0])
    """)
    environment = os.environ | {"KERAS_BACKEND": "jax"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert run.stdout == "jax True\n", run.stderr


@pytest.mark.parametrize("guided_alignment", [0.0, 1.0])
def test_r_drop_has_every_pair_of_a_batch_twice(linked, batches_of, guided_alignment):
    options = {"batch_size": 32, "guided_alignment": guided_alignment}
    once, twice = (take(batches_of(linked, r_drop=alpha, **options), 3) for alpha in (0.0, 5.0))
    for arrays, doubled in zip(map(tf.nest.flatten, once), map(tf.nest.flatten, twice), strict=True):
        for array, found in zip(arrays, doubled, strict=True):
            np.testing.assert_array_equal(found, np.repeat(array, 2, axis=0))


@pytest.mark.parametrize("options", [{}, {"subword_sampling": 0.3}, {"guided_alignment": 1.0}])
def test_each_side_is_cut_by_its_own_vocabulary(options):
    corpus = Corpus(["red dog"] * 4, ["RED DOG"] * 4, links=[{(0, 1)}] * 4)  # red -> DOG
    source = train_tokenizer(corpus.source, 20, kind="characters")
    target = train_tokenizer(corpus.target, 20, kind="words")
    batches = training_batches(corpus, source, target, DataConfig(), TrainingConfig(**options))
    [((ids, _), out, _)] = take(batches, 1)
    if "guided_alignment" in options:
        out, reference = out
        letters = source.pieces(ids[0])  # "▁", "r", "e", "d" and so on
        np.testing.assert_array_equal(reference[0], [[0] * 9, [0.25] * 4 + [0] * 5, [0] * 9])
        assert letters[:4] == [*"▁red"]
    assert source.decode(ids.tolist()) == corpus.source
    assert target.decode(out.tolist()) == corpus.target


@pytest.mark.parametrize(
    "options", [{}, {"r_drop": 1.0}, {"subword_sampling": 0.3}, {"guided_alignment": 1.0, "r_drop": 1.0}]
)
def test_shares_put_together_are_the_batch_with_padding_up_to_the_multiple(linked, batches_of, options):
    """Of batches of 10 pairs for 4 devices of 2 processes: 12 rows, of which each process makes 6."""
    batches = batches_of(linked, batch_size=10, **options)
    shares = [take(batches, 3, share=Share(multiple=4, index=i, count=2)) for i in range(2)]
    for whole, first, second in zip(take(batches, 3), *shares, strict=True):
        for expected, *parts in zip(*map(tf.nest.flatten, (whole, first, second)), strict=True):
            passes = len(expected) // 10
            assert [len(part) for part in parts] == [6 * passes] * 2
            together = np.concatenate(parts)
            np.testing.assert_array_equal(together[: 10 * passes], expected)
            assert not together[10 * passes :, 1:].any()  # but for BOS
