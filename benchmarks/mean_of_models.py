"""The mean of the weights of models that were trained on from one another (Wortsman et al. 2022, https://arxiv.org/abs/2109.01903).

    python benchmarks/mean_of_models.py runs/mean tatoeba-es-en runs/es-en-14

A model that has learned something new has forgotten a little; the mean of the two may have both. All models must have the same
sizes and vocabularies. The rest of OUTPUT is the last model's.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from keras_attn.storage import packaged
from keras_attn.storage.model_folder import load_model, save_model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("models", nargs="+", help="model folders, or names of packaged models")
    args = parser.parse_args()
    models = [load_model(packaged.locate(name)) for name in args.models]
    last = models[-1]
    vocabularies = {(each.source_tokenizer.model_proto, each.target_tokenizer.model_proto) for each in models}
    weights = [each.model.get_weights() for each in models]
    if len(vocabularies) > 1 or len({str([each.shape for each in one]) for one in weights}) > 1:
        sys.exit("the models have other sizes or vocabularies: they are not of one family")
    last.model.set_weights([np.mean(each, axis=0) for each in zip(*weights, strict=True)])
    save_model(args.output, last)


if __name__ == "__main__":
    main()
