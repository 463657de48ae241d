"""From chunks of input to blocks of lines, and from blocks to rows of output, in one process or in several."""

import io
import os
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

import click
import pytest

from keras_attn.cli import translate as translating
from keras_attn.cli import translate_lines
from keras_attn.cli.translate_lines import LineTranslator, _tables
from keras_attn.config import Sampling
from keras_attn.inference.translation import Translation


@pytest.fixture
def pool(monkeypatch):
    """Processes that are none: they have done their first two blocks when both are handed in, the second one first."""

    class Pool:
        given = []
        ended = None

        def __init__(self, workers, context, initializer, initargs):
            pass

        def submit(self, work, block=None):
            if block is None:
                return None
            Pool.given.append((block, Future()))
            if len(Pool.given) == 2:
                for (first, _), future in reversed(Pool.given):
                    future.set_result((f"from {first}\n", [f"warned of {first}"]))
            return Pool.given[-1][1]

        def shutdown(self, **how):
            Pool.ended = how

    monkeypatch.setattr(translate_lines, "ProcessPoolExecutor", Pool)
    return Pool


def test_blocks_of_several_processes_come_in_order_whoever_ends_first(pool):
    blocks = iter([(1, [b"a", b"b"]), (3, [b"c"])])
    with pytest.warns(UserWarning) as warned:
        assert list(translate_lines.in_processes(None, blocks, 2)) == [(2, "from 1\n"), (1, "from 3\n")]
    assert [str(each.message) for each in warned] == ["warned of 1", "warned of 3"]
    assert pool.ended == {"wait": True, "cancel_futures": True}


def test_a_process_that_was_killed_is_one_line_and_ends_the_others(pool, monkeypatch):
    broken = Future()
    broken.set_exception(BrokenProcessPool())
    monkeypatch.setattr(pool, "submit", lambda *_: broken)
    with pytest.raises(click.ClickException, match=r"a worker process was killed.* use fewer --workers"):
        list(translate_lines.in_processes(None, iter([(1, [b"a"])]), 2))
    assert pool.ended == {"wait": False, "cancel_futures": True}


def test_an_error_while_lines_are_read_ahead_is_raised(pool):
    def blocks():
        raise OSError("cannot read")
        yield

    with pytest.raises(OSError, match="cannot read"):
        list(translate_lines.in_processes(None, blocks(), 2))
    assert pool.ended == {"wait": False, "cancel_futures": True}


@pytest.mark.parametrize(
    ("folders", "tags", "reason"), [(("a", "b"), False, "an ensemble"), (("a",), True, "--tags")]
)
def test_what_only_keras_can_do_is_refused_for_other_engines(folders, tags, reason):
    for engine in ("int8", "litert"):
        with pytest.raises(
            Exception, match=f"--engine {engine} cannot do that: {reason} needs --engine keras"
        ):
            LineTranslator(folders, engine, {}, None, False, tags)._lite()
    for engine in ("auto", "keras"):
        assert LineTranslator(folders, engine, {}, None, False, tags)._lite() is None


def test_an_engine_is_chosen_by_all_that_is_asked_of_it(noted):
    calls = noted("keras_attn.inference.lite_translator.lite_translator", returns="an engine")
    translate = LineTranslator(("a",), "int8", {"beam_size": 4, "min_length": 3}, 2, True)
    assert translate._lite() == "an engine"
    assert calls == [(("a", "int8", 4, {"min_length": 3, "n_best": 2, "word_scores": True}), {})]
    LineTranslator(("a",), "auto", {}, None, False)._lite()
    assert calls[1] == (("a", "auto", None, {"n_best": 1, "word_scores": False}), {})


def test_the_same_lines_are_drawn_however_they_are_cut_into_blocks(saved_tiny_folder):
    options = {"sampling": Sampling(temperature=2.0, seed=7)}
    translate = LineTranslator((str(saved_tiny_folder),), "keras", options, None, False)
    lines = [b"the cat", b"a dog", b"the cat", b"the cat sees a dog"]
    whole = translate((1, lines)).splitlines()
    assert whole[0] != whole[2]
    assert translate((1, lines[:1])).splitlines() + translate((2, lines[1:])).splitlines() == whole


def test_a_row_has_number_score_text_and_the_probabilities_of_words_in_this_order():
    second = Translation("the cat", "le chat", -2.0, words=(("le", -0.5), ("chat", 0.0)))
    best = Translation("the cat", "un chat", -1.23456, words=(("un", 0.0),), alternatives=(second,))
    empty = Translation("", "")
    assert list(_tables([best, empty], 81, numbered=True)) == [
        "81\t-1.2346\tun chat\t1.0000",
        "81\t-2.0000\tle chat\t0.6065 1.0000",
        "82\t0.0000\t",
    ]
    assert list(_tables([second], 1, numbered=False)) == ["le chat\t0.6065 1.0000"]


def test_blocks_grow_from_16_lines_and_know_the_number_of_their_first():
    lines = [b"%d" % number for number in range(1, 4001)]
    chunks = [(1, lines[:10]), (11, lines[10:100]), (101, lines[100:])]
    blocks = list(translating._blocks(iter(chunks)))
    assert [line for _, block in blocks for line in block] == lines
    assert all(block[0] == b"%d" % first for first, block in blocks)
    assert [len(block) for _, block in blocks] == [10, 64, 26, 1024, 1024, 1024, 828]
    assert [len(block) for _, block in translating._blocks(iter([(1, lines[:337])]))] == [16, 64, 256, 1]


@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
def test_chunks_hold_whole_lines_and_the_number_of_their_first(monkeypatch, chunk):
    monkeypatch.setattr(translating, "CHUNK", chunk)
    found = list(translating._chunks(io.BytesIO(b"one\n\nthree\r\nfour")))
    numbered = [(first + place, line) for first, lines in found for place, line in enumerate(lines)]
    assert numbered == [(1, b"one"), (2, b""), (3, b"three\r"), (4, b"four")]


def test_of_an_endless_line_the_beginning_is_kept(monkeypatch):
    monkeypatch.setattr(translating, "CHUNK", 4)
    monkeypatch.setattr(translating, "MAX_LINE_BYTES", 10)
    with pytest.warns(UserWarning, match="line 2: it has more than 10 bytes; the rest is left out") as given:
        found = list(translating._chunks(io.BytesIO(b"0123456789\n" + b"9" * 31 + b"\nthree")))
    assert [line for _, lines in found for line in lines] == [b"0123456789", b"9" * 11, b"three"]
    assert len(given) == 1


def test_a_pipe_that_does_not_wait_is_read_to_its_end(monkeypatch):
    end, begin = os.pipe()
    os.set_blocking(end, False)
    parts = [b"one\ntw", b"o\n", b"three"]
    # When the reader waits, the next part comes; after the last one, the end.
    monkeypatch.setattr(
        "select.select", lambda *_: os.write(begin, parts.pop(0)) if parts else os.close(begin)
    )
    with open(end, "rb", buffering=0) as stream:
        found = [line for _, lines in translating._chunks(stream) for line in lines]
    assert found == [b"one", b"two", b"three"]


@pytest.mark.parametrize(
    ("counts", "notes"), [([9_999, 1, 20_000], [0, 1, 1]), ([10_000, 10_000], [1, 1]), ([25_000], [1])]
)
def test_advice_for_long_inputs_is_given_once_and_at_10000_lines(noted, counts, notes):
    given, found = noted("keras_attn.cli.messages.note"), []
    with translating._progress() as advance:
        for count in counts:
            advance(count)
            found.append(len(given))
    assert found == notes
    assert "--engine int8 is the fastest, --workers N uses N cores" in given[0][0][0]
