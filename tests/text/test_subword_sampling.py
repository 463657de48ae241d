"""Cuts drawn at random: how often each comes, and that the seed alone decides."""

import io
import itertools
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from keras_attn.text.subword_sampling import SubwordSampler
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer

LINES = [
    "A small dog runs across the green grass.",
    "Two dogs are running on the beach!",
    "The tall man in a red jacket is reading a book.",
    "Ein kleiner Hund läuft über das grüne Gras.",
    "Zwei Hunde rennen am Strand!",
    "Der große Mann in roter Jacke liest ein Buch.",
]
ODD_LINES = [
    "",
    " ",
    "\x00",
    "\u200b",
    "dog\x00",
    "☃☃ dog ☃ ☃☃",
    "日本語",
    "ﬁne  e\u0301",
    "▁dog ▁▁",
    "<s> dog",
    "y" * 3000,
]
DRAWS = 20_000


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(LINES * 5, vocab_size=120)


def trained_with(**options):
    """A vocabulary that was not trained by this package."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES * 5), model_writer=model, vocab_size=120, hard_vocab_limit=False, minloglevel=2,
        pad_id=PAD_ID, unk_id=UNK_ID, bos_id=BOS_ID, eos_id=EOS_ID, **options,
    )  # fmt: skip
    return Tokenizer(model.getvalue())


def all_cuts(tokenizer, text):
    """Of every cut of a text into ids its log-probability: a cut is a choice of the places to cut at."""
    reference = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.model_proto)
    places = range(1, len(text))
    for count in range(len(text)):
        for inner in itertools.combinations(places, count):
            parts = [text[a:b] for a, b in itertools.pairwise([0, *inner, len(text)])]
            ids = tuple(reference.piece_to_id(part) for part in parts)
            if UNK_ID not in ids:
                yield ids, sum(map(reference.get_score, ids))


@pytest.mark.parametrize("alpha", [1.0, 0.2, 0.0])
@pytest.mark.parametrize("word", ["reading", "rennen"])
def test_a_cut_comes_as_often_as_its_probability_to_the_power_of_alpha(tokenizer, word, alpha):
    """Kudo 2018, section 3.2, with l = infinity. Each count is a binomial draw: within 4.5 deviations of its mean."""
    cuts = dict(all_cuts(tokenizer, f"▁{word}"))
    weights = np.exp(alpha * np.array(list(cuts.values())))
    counts = Counter(map(tuple, tokenizer.sample([word] * DRAWS, alpha, seed=1)))
    assert len(cuts) > 5 and counts.keys() <= cuts.keys()
    for cut, share in zip(cuts, weights / weights.sum(), strict=True):
        assert abs(counts[cut] - DRAWS * share) <= 1 + 4.5 * np.sqrt(DRAWS * share * (1 - share)), cut


def test_words_of_a_line_are_cut_independently_of_each_other(tokenizer):
    draws = tokenizer.sample(["reading running"] * DRAWS, 0.2, seed=2)
    starts = {i for i in range(tokenizer.vocab_size) if tokenizer.pieces([i])[0].startswith("▁")}
    ends = [max(place for place, i in enumerate(ids) if i in starts) for ids in draws]
    first = np.array(
        [tuple(ids[:end]) == tuple(draws[0][: ends[0]]) for ids, end in zip(draws, ends, strict=True)]
    )
    second = np.array(
        [tuple(ids[end:]) == tuple(draws[0][ends[0] :]) for ids, end in zip(draws, ends, strict=True)]
    )
    assert 0.01 < first.mean() < 0.99 and 0.01 < second.mean() < 0.99
    assert (first & second).mean() == pytest.approx(first.mean() * second.mean(), abs=0.01)


def test_a_large_alpha_gives_the_best_cut(tokenizer):
    lines = LINES + ODD_LINES
    assert tokenizer.sample(lines, alpha=1000.0, seed=3) == tokenizer.encode(lines)


def test_unknown_characters_of_two_lines_stay_apart():
    """Without a mark before its first word a line may begin as the line before it ends, with the unknown id."""
    bare = trained_with(add_dummy_prefix=False)
    lines = ["dog☃☃", "☃☃dog"]
    assert [row.count(UNK_ID) for row in bare.encode(lines)] == [1, 1]
    assert bare.sample(lines, alpha=1000.0, seed=3) == bare.encode(lines)


def test_every_cut_reads_as_the_best_one(tokenizer):
    lines = LINES + ODD_LINES
    best = tokenizer.encode(lines)
    for seed in range(20):
        drawn = tokenizer.sample(lines, alpha=0.1, seed=seed)
        assert drawn != best
        assert tokenizer.decode(drawn) == tokenizer.decode(best)


def test_a_lone_surrogate_counts_as_a_question_mark(tokenizer):
    assert tokenizer.sample(["dog \ud800"], 0.3, seed=1) == tokenizer.sample(["dog ?"], 0.3, seed=1)


def test_no_lines_give_no_lists(tokenizer):
    assert tokenizer.sample([], 0.3, seed=1) == []
    assert tokenizer.sample([""], 0.3, seed=1) == [[]]


def test_the_seed_and_nothing_else_decides(tokenizer):
    first, again, other = (tokenizer.sample(LINES, 0.3, seed) for seed in (1, 1, 2))
    assert first == again != other


def test_two_processes_draw_the_same(tokenizer, tmp_path):
    (tmp_path / "model.spm").write_bytes(tokenizer.model_proto)
    program = (
        "import sys, pathlib\n"
        "from keras_attn.text.tokenizer import Tokenizer\n"
        "tokenizer = Tokenizer(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "print([tokenizer.sample(sys.argv[2:], 0.2, seed) for seed in range(5)])"
    )
    command = [sys.executable, "-c", program, tmp_path / "model.spm", *LINES]
    said = {subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)}
    assert said == {f"{[tokenizer.sample(LINES, 0.2, seed) for seed in range(5)]}\n"}


@pytest.mark.parametrize(
    "options",
    [
        {"split_by_whitespace": False},
        {"user_defined_symbols": ["dog", "<sep>", "re"]},
        {"control_symbols": ["<c>"]},
        {"remove_extra_whitespaces": False},
    ],
    ids=lambda options: next(iter(options)),
)
def test_vocabularies_of_other_kinds_are_drawn_from_too(options):
    tokenizer = trained_with(**options)
    lines = [*LINES, "a<sep>b  dog re-read <c>", "☃☃ ☃"]
    assert tokenizer.sample(lines, alpha=1000.0, seed=3) == tokenizer.encode(lines)
    assert tokenizer.sample(lines, alpha=0.1, seed=3) != tokenizer.encode(lines)


@pytest.mark.parametrize("symbol", ["a", "ab", "abcd", "é", "日本"])
@pytest.mark.parametrize(("more", "chosen"), [(-0.01, 2), (0.01, 1)])
def test_a_users_piece_scores_a_tenth_per_byte_after_the_first(symbol, more, chosen):
    """SentencePiece prefers two of it to a piece with the same text and a smaller score than both have."""
    model = ModelProto.FromString(
        trained_with(user_defined_symbols=[symbol], add_dummy_prefix=False).model_proto
    )
    model.pieces.add(piece=2 * symbol, score=0.2 * (len(symbol.encode()) - 1) + more)
    tokenizer = Tokenizer(model.SerializeToString())
    best = tokenizer.encode([2 * symbol])
    assert len(best[0]) == chosen
    assert tokenizer.sample([2 * symbol], alpha=10_000.0, seed=3) == best


def test_pieces_that_reach_into_the_next_word_are_drawn():
    tokenizer = trained_with(split_by_whitespace=False)
    drawn = {i for ids in tokenizer.sample(LINES * 20, 0.5, seed=4) for i in ids}
    assert any("▁" in piece[1:] for piece in tokenizer.pieces(sorted(drawn)))


def test_an_unused_piece_is_never_drawn(tokenizer):
    model = ModelProto.FromString(tokenizer.model_proto)
    longest = max(range(4, len(model.pieces)), key=lambda i: len(model.pieces[i].piece))
    before = SubwordSampler(model.SerializeToString()).sample(LINES * 20, 0.5, seed=5)
    model.pieces[longest].type = ModelProto.SentencePiece.UNUSED
    after = SubwordSampler(model.SerializeToString()).sample(LINES * 20, 0.5, seed=5)
    assert longest in itertools.chain(*before) and longest not in itertools.chain(*after)
