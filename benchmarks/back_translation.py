"""Goes on with a model of Tatoeba, on its own pairs and on as many whose sources the model of the other direction made.

    python benchmarks/back_translation.py configs/tatoeba_names_and_numbers.toml runs/en-es-8 --set training.seed=8
    python benchmarks/back_translation.py configs/tatoeba_names_and_numbers.toml runs/es-en-8 --set training.seed=8 \
        --set data.source_language=es --set data.target_language=en

The model of the other direction translates the targets of the training pairs, greedily. What it makes is added to the pairs, each
pair once. Stopped and given once more, it goes on. Both models are the packaged ones, or others with the same splits:

    python benchmarks/back_translation.py configs/tatoeba.toml runs/en-fr-3 --from runs/en-fr-2 --other-direction runs/fr-en \
        --set data.target_language=fr

With `--forward`, the model that is gone on with translates the sources, too, by its own search (its config's beam), and these pairs
are added as well.
"""

import argparse
from pathlib import Path

from keras_attn import config as configs
from keras_attn.data.splits import Splits, split_corpus
from keras_attn.files import write_text
from keras_attn.inference.bulk import BulkTranslator
from keras_attn.storage import model_folder, packaged
from keras_attn.text.corpus import Corpus, read_lines
from keras_attn.training.distillation import together
from keras_attn.training.fit import train
from keras_attn.training.start import Start

MADE, MADE_FORWARD = "made.txt", "made_forward.txt"  # in the folder


def translations(path: Path, model: Path, lines: list[str], beam_size: int | None) -> list[str]:
    """The translations of the lines, made now or in an earlier run. The beam size is that of the model where none is given."""
    if not path.exists():
        made = BulkTranslator(model, engine="int8", beam_size=beam_size).translate(lines)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, "".join(f"{line}\n" for line in made))
    return read_lines(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("config", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", dest="start", help="the model to start from")
    parser.add_argument("--other-direction", help="the model that makes the sources")
    parser.add_argument("--forward", action="store_true", help="add its own translations of the sources")
    parser.add_argument("--set", action="append", default=[], help="SECTION.KEY=VALUE; repeatable")
    args = parser.parse_args()
    config = configs.load(args.config, args.set)
    source, target = config.data.source_language, config.data.target_language
    real = split_corpus(config.data, "train")
    start = packaged.locate(args.start or f"tatoeba-{source}-{target}")
    other = packaged.locate(args.other_direction or f"tatoeba-{target}-{source}")
    sources, targets = list(real.source), list(real.target)
    made = [real, Corpus(translations(args.folder / MADE, other, targets, beam_size=1), targets)]
    if args.forward:
        answers = translations(args.folder / MADE_FORWARD, start, sources, beam_size=None)
        made.append(Corpus(sources, answers))
    pairs = together(made)
    print(f"{len(real)} pairs, {len(pairs)} with those that were made", flush=True)
    given = configs.override(config, ['data.corpus=""'])
    train(given, args.folder, corpus=Splits(pairs, split_corpus(config.data, "dev")), start=Start(start))
    model_folder.update_config(args.folder, data=config.data)


if __name__ == "__main__":
    main()
