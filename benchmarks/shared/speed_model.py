"""The model and the batches by which the speed of training is measured."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import tensorflow as tf

from keras_attn.config import DataConfig, ModelConfig, TrainingConfig
from keras_attn.corpora.named import load_corpus
from keras_attn.data.pipeline import training_batches
from keras_attn.models.build import build_seq2seq
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer
from keras_attn.training.losses import SmoothedCrossEntropy

WIDTH, VOCABULARY, BATCH = 256, 8000, 128


def build(attention: bool, vocabulary: int) -> keras.Model:
    choices = {} if attention else {"attention": "none", "feed": "none"}
    model = build_seq2seq(ModelConfig(source_vocab_size=vocabulary, target_vocab_size=vocabulary, **choices))
    model.compile(
        keras.optimizers.Adam(0.001, global_clipnorm=1.0), SmoothedCrossEntropy(0.1), jit_compile=False
    )
    return model


def real_batches(steps: int) -> tuple[Tokenizer, tf.data.Dataset]:
    """The vocabulary of Multi30k en-de, and the first batches of its training."""
    corpus = load_corpus("multi30k", "en", "de", "train")
    tokenizer = train_tokenizer(corpus.source + corpus.target, VOCABULARY)
    training = TrainingConfig(batch_size=BATCH, seed=1)
    batches = training_batches(corpus, tokenizer, tokenizer, DataConfig(), training)
    return tokenizer, batches.stream().take(steps).apply(tf.data.experimental.assert_cardinality(steps))
