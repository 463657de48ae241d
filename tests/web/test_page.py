"""The page that translates in a browser, built from exports and driven in Chromium; what it must say comes from Python."""

import dataclasses
import json
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter

from keras_attn.export.litert import export_litert
from keras_attn.export.runner import MODEL, LiteRTTranslator
from keras_attn.models.build import build_seq2seq
from keras_attn.special_ids import BOS_ID, EOS_ID

PRONOUNCER = Path(__file__).parents[2] / "saved_models" / "cmudict-litert"
PAGE_TESTS = Path(__file__).with_name("page.test.mjs")
SOURCE_LENGTH = 24


class Client:
    """What the file says in Python, as ids and as text."""

    def __init__(self, folder):
        interpreter = Interpreter(str(folder / MODEL))
        self._run = {
            name: interpreter.get_signature_runner(name) for name in interpreter.get_signature_list()
        }
        self._keep = interpreter

    def tokenize(self, line):
        given = np.full([1, 8 * SOURCE_LENGTH], -1, np.int32)
        utf8 = line.encode()[: given.size]
        given[0, : len(utf8)] = list(utf8)
        return self._run["tokenize"](text=given)["ids"]

    def translate(self, line):
        found = self._run["translate"](source=self.tokenize(line))
        ids = found["ids"][0, : found["lengths"][0]].tolist()
        said = self._run["detokenize"](ids=np.array([[*ids, *[0] * (32 - len(ids))]], np.int32))
        return ids, bytes(said["text"][0, : said["length"][0]].astype(np.uint8)).decode()


@pytest.fixture(scope="module")
def exports(tmp_path_factory, copying_trained, attentionless_trained):
    """Two models: English to French with attention and a beam, which copies, and French to English without, repeating nothing."""
    folder = tmp_path_factory.mktemp("exports")
    sizes = {"source_length": SOURCE_LENGTH, "max_length": 32}
    export_litert(copying_trained, folder / "tiny-en-fr", beam_size=3, **sizes)
    export_litert(talkative(attentionless_trained), folder / "plain-fr-en", **sizes)
    return folder


def talkative(trained):
    """The model the other way round, greedy, and never silent: an untrained one might say nothing, or one word all the time."""
    data = dataclasses.replace(trained.config.data, source_language="fr", target_language="en")
    search = dataclasses.replace(trained.config.search, no_repeat_ngram=1)
    model = build_seq2seq(trained.config.model)
    bias = model.get_layer("output").bias
    silent = sorted(trained.target_tokenizer.wordless_ids)  # EOS and a bare space among them
    bias.assign(-9 * keras.ops.max(keras.ops.one_hot(silent, bias.shape[0]), axis=0))
    config = dataclasses.replace(trained.config, data=data, search=search)
    return dataclasses.replace(trained, config=config, model=model)


def test_the_page_does_in_chromium_what_it_promises(
    exports, build, node, chromium, tmp_path, source_lines, copying_trained
):
    site = tmp_path / "site"
    built = build(site, exports / "tiny-en-fr", exports / "plain-fr-en", PRONOUNCER)
    assert built.returncode == 0, built.stderr
    client = Client(exports / "tiny-en-fr")
    lines = list(dict.fromkeys(["a  cat\tsees ﬁnds", "A dog 狗狗!", *source_lines]))[:100]
    sentences = [translated(client, line) for line in lines]
    long_sentences = (translated(client, f"{line} " * SOURCE_LENGTH) for line in source_lines)
    expected = {
        "site": str(site),
        "python": sys.executable,
        "browser": chromium,
        "sentences": sentences,
        "attention": attention(
            copying_trained, client, next(each for each in sentences if worth_showing(each))
        ),
        "otherModel": {
            **translated(Client(exports / "plain-fr-en"), lines[2]),
            "bytes": (exports / "plain-fr-en" / MODEL).stat().st_size,
        },
        "pronounced": LiteRTTranslator(PRONOUNCER)(["bookkeeper"])[0],
        "longSentence": next(each for each in long_sentences if each["text"]),
    }
    (tmp_path / "expected.json").write_text(json.dumps(expected))
    page = node(
        "--test", "--test-reporter=spec", PAGE_TESTS, timeout=240, EXPECTED=str(tmp_path / "expected.json")
    )
    assert page.returncode == 0, page.stdout + page.stderr


def translated(client, line):
    ids, text = client.translate(line)
    return {"source": line, "ids": ids, "text": text}


def worth_showing(sentence):
    return (
        len(sentence["source"].split()) > 3
        and len(sentence["text"].split()) > 3
        and "⁇" not in sentence["text"]
    )


def attention(trained, client, sentence):
    """Words, and weights added up over the parts of a source word and averaged over those of a target word."""
    source_ids = [i for i in client.tokenize(sentence["source"])[0].tolist() if i]
    target_ids = sentence["ids"]
    target_in = [BOS_ID, *target_ids[:-1]]
    _, weights = trained.model.score(*(np.asarray([ids]) for ids in (source_ids, target_in, target_ids)))
    rows = [row for row, word in zip(np.asarray(weights)[0], target_ids, strict=True) if word != EOS_ID]
    source_of = word_of_each(trained.source_tokenizer.pieces(source_ids))
    target_of = word_of_each(trained.target_tokenizer.pieces(target_ids[: len(rows)]))
    table = np.zeros((max(target_of) + 1, max(source_of) + 1))
    for t, row in zip(target_of, rows, strict=True):
        for s, weight in zip(source_of, row, strict=True):
            table[t, s] += weight / target_of.count(t)
    return {"source": sentence["source"], "target": sentence["text"].split(), "weights": table.tolist()}


def word_of_each(pieces):
    """EOS counts as a word."""
    starts = [piece.startswith("▁") or piece == "</s>" for piece in pieces]
    return (np.cumsum(starts) - 1).tolist()
