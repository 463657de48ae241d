"""Lines, and what `Translator` makes of them, for the engines that translate in bulk."""

import pytest

from keras_attn.inference.bulk import BulkTranslator
from keras_attn.storage import packaged

MODEL = "tatoeba-en-es"
SUBJECTS = ["the dog", "my brother", "a tall woman", "the old teacher", "our neighbour", "nobody here", "Tom"]
VERBS = ["saw", "wants to buy", "has lost", "is looking for", "gave me"]
OBJECTS = ["a house", "the red car", "an old book about the sea", "some bread", "the key", "three apples"]


@pytest.fixture(scope="session")
def lines():
    """210 different ones of several lengths, in no order of length."""
    return [
        f"{s} {v} {o}."[0].upper() + f"{s} {v} {o}."[1:] for s in SUBJECTS for v in VERBS for o in OBJECTS
    ]


@pytest.fixture(scope="session")
def expected(lines):
    """What Keras says."""
    from keras_attn.inference.translator import Translator

    return Translator.load(packaged.folder(MODEL))(lines, beam_size=1)


class KilledOnce(BulkTranslator):
    """Ends its process, once, when it is given a certain line."""

    def __init__(self, folder, *, mark, last_words, **options):
        super().__init__(folder, **options)
        self.mark, self.last_words = str(mark), last_words

    def translate(self, texts):
        import os
        import signal

        if self.last_words in list(texts):
            try:
                os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().translate(texts)


@pytest.fixture
def killed_once():
    """A `BulkTranslator` with `mark`, a file that does not exist yet, and `last_words`, a line."""
    return KilledOnce
