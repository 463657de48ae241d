"""Lines of several sentences or words, made of pairs."""

import itertools

import pytest

from keras_attn.data.concatenation import with_concatenations
from keras_attn.text.corpus import Corpus

PAIRS = [(f"Take {n} of them.", f"Toma {n} de ellos.") for n in range(100)]
SOURCE, TARGET = (list(side) for side in zip(*PAIRS, strict=True))


def test_one_line_for_ten_pairs_holds_two_or_three_of_them_in_the_same_order_on_both_sides():
    corpus = with_concatenations(Corpus(SOURCE, TARGET, dropped=3), 0.1, seed=1)
    assert (corpus.source[:100], corpus.target[:100], corpus.dropped) == (SOURCE, TARGET, 3)
    assert len(corpus) == 110
    lengths = set()
    for source, target in zip(corpus.source[100:], corpus.target[100:], strict=True):
        numbers = [int(word) for word in source.split() if word.isdigit()]
        assert source == " ".join(SOURCE[number] for number in numbers)
        assert target == " ".join(TARGET[number] for number in numbers)
        lengths.add(len(numbers))
    assert lengths == {2, 3}


@pytest.mark.parametrize(
    "pair", [("no mark", "punto."), ("Full stop.", "sin punto"), ("IN CAPITALS.", "En mayúsculas.")]
)
def test_pairs_with_a_mark_or_capitals_on_one_side_alone_stay_alone(pair):
    corpus = with_concatenations(
        Corpus([*SOURCE, *[pair[0]] * 1000], [*TARGET, *[pair[1]] * 1000]), 0.1, seed=1
    )
    assert len(corpus) == 1110
    assert not [line for line in corpus.source[1100:] if pair[0] in line]


def test_links_of_the_later_sentences_count_on():
    source, target = ["Stay here.", "Tom sleeps now."], ["Quédate aquí.", "Ahora duerme Tom."]
    links = [{(0, 0), (1, 1)}, {(0, 2), (1, 1), (2, 0)}]
    corpus = with_concatenations(Corpus(source * 50, target * 50, links=links * 50), 0.1, seed=1)
    place = corpus.source.index("Tom sleeps now. Stay here.")
    assert corpus.target[place] == "Ahora duerme Tom. Quédate aquí."
    assert corpus.links[place] == {(0, 2), (1, 1), (2, 0), (3, 3), (4, 4)}


def test_the_same_seed_gives_the_same_lines_and_another_seed_others():
    first, again, other = (
        with_concatenations(Corpus(SOURCE, TARGET), 0.1, seed).source for seed in (1, 1, 2)
    )
    assert first == again != other


def test_words_of_a_list_make_as_many_lines_as_are_asked_for():
    source, target = ["h o l a", "s í", "n o"], ["o l a", "s i", "n o"]
    corpus = with_concatenations(Corpus(source, target), 4, seed=1)
    assert len(corpus) == 3 + 12
    said = dict(zip(source, target, strict=True))
    whole = {
        "".join(words).replace(" ", ""): "".join(map(said.get, words)).replace(" ", "")
        for count in (2, 3)
        for words in itertools.product(source, repeat=count)
    }
    for line, answer in zip(corpus.source[3:], corpus.target[3:], strict=True):
        assert whole[line.replace(" ", "")] == answer.replace(" ", "")


def test_a_list_in_capitals_throughout_is_joined_too():
    assert len(with_concatenations(Corpus(["A", "B"], ["a", "b"]), 3, seed=1)) == 2 + 6


def test_a_corpus_without_parts_stays_as_it_is():
    corpus = Corpus(["A mark."], ["kein Punkt"])
    assert with_concatenations(corpus, 5, seed=1) == corpus
