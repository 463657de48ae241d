"""TensorFlow's tutorial "Neural machine translation with attention", rebuilt to be compared with, trained and scored on our split.

    python benchmarks/tutorial_model.py              # Spanish to English, as in the tutorial
    python benchmarks/tutorial_model.py --model runs/tatoeba-es-en     # and one of ours on the same test sentences
    python benchmarks/tutorial_model.py --source-language en --target-language fr

As in the tutorial: lower-case text without accents, split at spaces and punctuation, 5,000 words per language; a bidirectional GRU
of 256 units whose directions are added; a GRU of 256 units that starts from zeros, attention by `MultiHeadAttention` with one head,
added to the GRU's output and normalised, then a dense layer; Adam, batches of 64, at most 100 rounds of 100 steps, patience 3 on
the development loss; greedy translation of at most 50 words. Ours instead: the split, by groups, because the tutorial's random one
leaks.

The tutorial's output has no capitals and no accents, so both it and the reference are also scored in that form.
"""

import argparse
import os
import re
import unicodedata
from collections.abc import Sequence

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf

from keras_attn.corpora.named import load_corpus
from keras_attn.evaluation.scores import corpus_scores
from keras_attn.inference.translator import Translator
from keras_attn.training.losses import SmoothedCrossEntropy

UNITS, WORDS, BATCH, LONGEST = 256, 5000, 64, 50
ROUNDS, STEPS, DEV_STEPS, PATIENCE = 100, 100, 20, 3


def plain(line: str) -> str:
    """The tutorial's standardisation, without its start and end tokens."""
    letters = unicodedata.normalize("NFKD", line).lower()
    kept = re.sub(r"[^ a-z.?!,¿]", "", letters)
    return " ".join(re.sub(r"([.?!,¿])", r" \1 ", kept).split())


class Words:
    """The most frequent words of one language: ids from text and back."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.layer = keras.layers.TextVectorization(WORDS, standardize=None, ragged=True)
        self.layer.adapt([f"[START] {plain(line)} [END]" for line in lines])
        self.words = self.layer.get_vocabulary()
        self.start, self.end = (self.words.index(word) for word in ("[START]", "[END]"))

    def encode(self, lines: Sequence[str]) -> tf.RaggedTensor:
        return tf.cast(self.layer(tf.constant([f"[START] {plain(line)} [END]" for line in lines])), tf.int32)

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self.words[i] for i in ids)


class Tutorial:
    """The network, whole for training and cut in two for translation."""

    def __init__(self, source_words: int, target_words: int) -> None:
        source, target = (keras.Input((None,), dtype="int32") for _ in range(2))
        embed = keras.layers.Embedding(source_words, UNITS, mask_zero=True)
        encoder_gru = keras.layers.GRU(UNITS, return_sequences=True, recurrent_initializer="glorot_uniform")
        read = keras.layers.Bidirectional(encoder_gru, merge_mode="sum")
        embed_target = keras.layers.Embedding(target_words, UNITS, mask_zero=True)
        decoder_gru = keras.layers.GRU(
            UNITS, return_sequences=True, return_state=True, recurrent_initializer="glorot_uniform"
        )
        attend = keras.layers.MultiHeadAttention(num_heads=1, key_dim=UNITS)
        normalise = keras.layers.LayerNormalization()
        output = keras.layers.Dense(target_words)

        def decode(words, context, mask, state=None):
            states, state = decoder_gru(embed_target(words), initial_state=state)
            found = attend(query=states, value=context, attention_mask=mask)
            return output(normalise(states + found)), state

        mask = keras.ops.expand_dims(keras.ops.not_equal(source, 0), 1)
        context = read(embed(source))
        self.training = keras.Model([source, target], decode(target, context, mask)[0])

        memory, state = keras.Input((None, UNITS)), keras.Input((UNITS,))
        seen = keras.Input((1, None), dtype="bool")
        self.encoder = keras.Model(source, [context, mask])
        self.step = keras.Model([target, memory, seen, state], decode(target, memory, seen, state))

    def translate(self, source: np.ndarray, start: int, end: int) -> np.ndarray:
        """Greedy: ids `(B, LONGEST)`, 0 from the end token on."""
        context, mask = self.encoder(source)
        words, state = tf.fill((len(source), 1), start), tf.zeros((len(source), UNITS))
        going, found = np.ones(len(source), bool), []
        while len(found) < LONGEST and going.any():
            logits, state = self.step([words, context, mask, state])
            words = tf.argmax(logits, axis=-1, output_type=tf.int32)
            going &= words.numpy()[:, 0] != end
            found.append(words.numpy()[:, 0] * going)
        return np.stack(found, axis=1)


def batches(source: tf.RaggedTensor, target: tf.RaggedTensor, seed: int) -> tf.data.Dataset:
    def pad(rows):
        words = tf.gather(target, rows).to_tensor()
        shown, wanted = words[:, :-1], words[:, 1:]
        return (tf.gather(source, rows).to_tensor(), shown), wanted, tf.cast(wanted != 0, tf.float32)

    rows = tf.data.Dataset.range(source.nrows()).shuffle(200_000, seed=seed).repeat()
    return rows.batch(BATCH).map(pad, 2).prefetch(8)


def train(tutorial: Tutorial, train_ids: Sequence, dev_ids: Sequence, seed: int) -> None:
    tutorial.training.compile("adam", SmoothedCrossEntropy())
    tutorial.training.fit(
        batches(*train_ids, seed=seed),
        steps_per_epoch=STEPS,
        epochs=ROUNDS,
        validation_data=batches(*dev_ids, seed=seed),
        validation_steps=DEV_STEPS,
        shuffle=False,  # the stream does it
        callbacks=[keras.callbacks.EarlyStopping(patience=PATIENCE)],
        verbose=2,
    )


def report(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> None:
    print(f"\n{name}, cased\n{corpus_scores(hypotheses, references)}")
    print(f"{name}, hypotheses and references as the tutorial standardises text")
    print(corpus_scores([plain(line) for line in hypotheses], [plain(line) for line in references]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", help="a model folder of ours, of the same languages")
    parser.add_argument("--source-language", default="es")
    parser.add_argument("--target-language", default="en")
    parser.add_argument("--seed", type=int, default=1, help="of the tutorial's model, trained here")
    args = parser.parse_args()
    keras.utils.set_random_seed(args.seed)
    languages = args.source_language, args.target_language
    splits = {name: load_corpus("tatoeba", *languages, name) for name in ("train", "dev", "test")}
    test = splits["test"]
    source_words, target_words = Words(splits["train"].source), Words(splits["train"].target)
    ids = {
        name: (source_words.encode(pairs.source), target_words.encode(pairs.target))
        for name, pairs in splits.items()
    }
    tutorial = Tutorial(len(source_words.words), len(target_words.words))
    print(f"{tutorial.training.count_params():,} parameters")
    train(tutorial, ids["train"], ids["dev"], args.seed)
    hypotheses = []
    for first in range(0, len(test), BATCH):
        source = ids["test"][0][first : first + BATCH].to_tensor().numpy()
        found = tutorial.translate(source, target_words.start, target_words.end)
        hypotheses += [target_words.decode(row[row != 0]) for row in found]
    report("the tutorial's model", hypotheses, test.target)
    if args.model:
        translator = Translator.load(args.model)
        report("ours, greedy", translator(test.source, beam_size=1), test.target)
        report("ours, beam", translator(test.source), test.target)


if __name__ == "__main__":
    main()
