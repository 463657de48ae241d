"""What a model does on a host that links tensorflow-text's operators, as a graph from text to text; one sentence at a time.

    translate_text   text -> translation, score, truncated

The vocabularies are in the graph, in the form that the operators read: the source's to cut text, the target's to put it together.
"""

import tensorflow as tf

from keras_attn.export.id_signatures import Signature
from keras_attn.export.subject import Subject

TEXT_OPERATORS = ("TFText>FastSentencepieceDetokenize", "TFText>FastSentencepieceTokenize")


def text_signature(subject: Subject, translate: Signature) -> dict[str, Signature]:
    """The graph, by its name: `text`, string `[1]`, to `translation`, string `[1]`, `score`, float32 `[1]`, and `truncated`,
    int32 `[1]`, 1 where the text was longer than the file takes. Text without any known sub-word, such as "", gives "" with
    score 0.

    Nothing keeps a host from handing over several strings, whatever the shape says: then the first is translated.

    Args:
        subject: the model with its vocabularies.
        translate: its graph of ids, see `id_signatures`, of a fixed source length: no shape in it hangs on the text.
    """
    _, inputs = translate.structured_input_signature
    length = inputs["source"].shape[1]

    def translate_text(*, text: tf.Tensor) -> dict[str, tf.Tensor]:
        ids = subject.source_tokenizer.tf_encode(text)[0, :length]
        source = tf.reshape(tf.pad(ids, [[0, length - tf.size(ids)]]), [1, length])
        outputs = translate(source=source)
        translation = subject.target_tokenizer.tf_decode(outputs["ids"][:1])
        return {"translation": translation, "score": outputs["scores"][:1], "truncated": outputs["truncated"]}

    traced = tf.function(translate_text, autograph=False)
    return {"translate_text": traced.get_concrete_function(text=tf.TensorSpec([1], tf.string, name="text"))}
