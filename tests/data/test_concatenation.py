"""Lines of several sentences, made of pairs."""

import pytest

from keras_attn.data.concatenation import with_concatenations
from keras_attn.text.corpus import Corpus

PAIRS = [(f"Take {n} of them.", f"Toma {n} de ellos.") for n in range(100)]
SOURCE, TARGET = (list(side) for side in zip(*PAIRS, strict=True))


def test_one_line_for_ten_pairs_holds_two_or_three_of_them_in_the_same_order_on_both_sides():
    corpus = with_concatenations(Corpus(SOURCE, TARGET, dropped=3), seed=1)
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
def test_pairs_without_a_mark_at_their_end_or_in_capitals_stay_alone(pair):
    corpus = with_concatenations(Corpus([*SOURCE, *[pair[0]] * 1000], [*TARGET, *[pair[1]] * 1000]), seed=1)
    assert len(corpus) == 1110
    assert not [line for line in corpus.source[1100:] if pair[0] in line]


def test_links_of_the_later_sentences_count_on():
    source, target = ["Stay here.", "Tom sleeps now."], ["Quédate aquí.", "Ahora duerme Tom."]
    links = [{(0, 0), (1, 1)}, {(0, 2), (1, 1), (2, 0)}]
    corpus = with_concatenations(Corpus(source * 50, target * 50, links=links * 50), seed=1)
    place = corpus.source.index("Tom sleeps now. Stay here.")
    assert corpus.target[place] == "Ahora duerme Tom. Quédate aquí."
    assert corpus.links[place] == {(0, 2), (1, 1), (2, 0), (3, 3), (4, 4)}


def test_the_same_seed_gives_the_same_lines_and_another_seed_others():
    first, again, other = (with_concatenations(Corpus(SOURCE, TARGET), seed).source for seed in (1, 1, 2))
    assert first == again != other


def test_a_corpus_without_sentences_stays_as_it_is():
    corpus = Corpus(["a", "b"], ["c", "d"])
    assert with_concatenations(corpus, seed=1) == corpus
