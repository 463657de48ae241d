"""What a translator does with numbers and names, with careless writing, and with a word alone. English, French, German, Spanish.

    python benchmarks/challenges.py tatoeba-en-es tatoeba-es-en --json benchmarks/log/challenges.json

Takes model folders or names of packaged models, and folders of exported `.tflite` files, such as
`saved_models/tatoeba-en-es-litert`. Prints for each, by its own search, in its own engine:

- the share of the numbers, times, prices, dates and invented names in 500 generated sentences that come out right
  (`shared/challenge.py`);
- chrF of 500 sentences of the test split as they stand, in capitals, without capitals, without the final mark, with one word in
  capitals, typed without what a plain keyboard lacks (accents, "¿" and "¡", umlauts, apostrophes), and as 250 lines of two;
- of 200 words of the test split alone, some greetings and an empty line, how many are answered with more than four words more, or
  with a word three times in a row;
- of 15 everyday expressions, such as "yes", each written in three or four ways, the share that is answered rightly
  (`shared/expressions.py`);
- of 8 sentences in which people tell a name, each with four names, the share that is answered rightly;
- of 4 sentences with a number in words, each with 16 numbers, the share that has that number, in words or digits;
- of 4 sentences with a time of day in words, each with every quarter of twelve hours, the share that has that time;
- of 10 sentences, each with all places, languages, days, months, things, goods, professions or relatives of the lists that training
  adds, the share that has that word;
- of a hundred common words alone, typed small and without a mark, the share that is answered with a word for it and nothing else.
"""

import argparse
import json
import random
import re
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "export" / "python"))
from litert_translator import Translator
from shared.challenge import KINDS, challenges, shares_right
from shared.expressions import (
    everyday_words_right,
    expressions_right,
    introductions_right,
    numerals_right,
    single_words_right,
    times_right,
)

from keras_attn.config import DataConfig
from keras_attn.data.splits import split_corpus
from keras_attn.evaluation.scores import corpus_scores
from keras_attn.inference.bulk import BulkTranslator
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import load_data_config

SENTENCES, WORDS = 500, 200


def _with_a_loud_word(line: str) -> str:
    """With one of its small words in capitals: "Do NOT go." Always the same one."""
    places = [word.span() for word in re.finditer(r"\b[^\W\d_]{2,}\b", line) if word[0].islower()]
    begin, end = random.Random(line).choice(places) if places else (0, 0)
    return line[:begin] + line[begin:end].upper() + line[end:]


CARELESS = {
    "capitals": str.upper,
    "no capitals": str.lower,
    "no final mark": lambda line: re.sub(r"[.!?]+$", "", line),
    "a word in capitals": _with_a_loud_word,
}
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})
LEFT_OUT = {"en": r"(?<=\w)['’](?=\w)", "es": "[\u0301¿¡]", "fr": "[\u0300\u0301\u0302]"}  # accents apart
GREETINGS = {
    "de": ["Hallo!", "Hallo.", "Guten Morgen.", "Wie geht es dir?", "Tschüss.", "Danke!", "Ja.", "Nein.", ""],
    "en": ["Hello!", "Hi.", "Good morning.", "How are you?", "Bye.", "Thanks!", "Yes.", "No.", ""],
    "es": ["¡Hola!", "Hola.", "Buenos días.", "¿Cómo estás?", "Adiós.", "¡Gracias!", "Sí.", "No.", ""],
    "fr": ["Bonjour !", "Salut.", "Bonsoir.", "Comment ça va ?", "Au revoir.", "Merci !", "Oui.", "Non.", ""],
}


def measured(name: str, seed: int) -> dict[str, float | int | str]:
    """The row of one model; the seed is that of the generated sentences."""
    translate, data = loaded(packaged.locate(name))
    source, target = data.source_language, data.target_language
    given = challenges(SENTENCES, seed, source=source, target=target)
    row = {"model": name, **shares_right(given, translate([one.sentence for one in given]))}

    test = split_corpus(data, "test")
    lines, references = test.source[:SENTENCES], test.target[:SENTENCES]
    row["chrF"] = corpus_scores(translate(lines), references).chrf
    for how, changed in CARELESS.items():
        row[how] = corpus_scores(translate([changed(line) for line in lines]), references).chrf
    row["as typed"] = corpus_scores(translate([_as_typed(line, source) for line in lines]), references).chrf
    row["two a line"] = corpus_scores(translate(_by_twos(lines)), _by_twos(references)).chrf

    words = sorted({word for line in test.source for word in re.findall(r"[^\W\d_]{2,}", line)})
    alone = random.Random(1).sample(words, WORDS) + GREETINGS[source]
    row["short"] = len(alone)
    row["runs on"] = sum(_runs_on(one, said) for one, said in zip(alone, translate(alone), strict=True))
    row["expressions"] = expressions_right(translate, source, target)
    row["introductions"] = introductions_right(translate, source, target)
    row["numerals"] = numerals_right(translate, source, target)
    row["times in words"] = times_right(translate, source, target)
    row["everyday words"] = everyday_words_right(translate, source, target)
    row["single words"] = single_words_right(translate, source, target)
    return row


def loaded(folder: Path) -> tuple[Callable[[list[str]], list[str]], DataConfig]:
    """The translator of a model folder, or of a `.tflite` of Tatoeba, and its corpus."""
    if (folder / "model.tflite").exists():
        say = Translator(str(folder / "model.tflite"))
        languages = json.loads((folder / "model.json").read_text())["languages"]
        data = DataConfig(
            corpus="tatoeba", source_language=languages["source"], target_language=languages["target"]
        )
        return lambda lines: [say(line).text for line in lines], data
    bulk = BulkTranslator(folder)
    return lambda lines: bulk.translate(lines).tolist(), load_data_config(folder)


def _as_typed(line: str, language: str) -> str:
    if language == "de":
        return line.translate(UMLAUTS)
    return unicodedata.normalize("NFC", re.sub(LEFT_OUT[language], "", unicodedata.normalize("NFD", line)))


def _by_twos(lines: list[str]) -> list[str]:
    half = len(lines) // 2
    return [f"{one} {other}" for one, other in zip(lines[:half], lines[half:], strict=True)]


def _runs_on(line: str, said: str) -> bool:
    words = said.split()
    thrice = any(a == b == c for a, b, c in zip(words, words[1:], words[2:], strict=False))
    return thrice or len(words) > len(line.split()) + 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+", help="model folders, or names of packaged models")
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--seed", type=int, default=1, help="other sentences, to choose by: 1 is for reporting"
    )
    args = parser.parse_args()
    rows = [measured(name, args.seed) for name in args.models]
    columns = (
        *KINDS,
        "numbers",
        "chrF",
        *CARELESS,
        "as typed",
        "two a line",
        "runs on",
        "short",
        "expressions",
        "introductions",
        "numerals",
        "times in words",
        "everyday words",
        "single words",
    )
    print(f"| model | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    for row in rows:
        cells = (
            f"{row[column]:.1f}" if isinstance(row[column], float) else str(row[column]) for column in columns
        )
        print(f"| {row['model']} | {' | '.join(cells)} |")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
