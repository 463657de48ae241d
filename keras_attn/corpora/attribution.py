"""Credits that a training corpus requires of models trained on it."""

_ATTRIBUTIONS = {
    "cmudict": (
        "The weights were trained on the CMU Pronouncing Dictionary (https://github.com/cmusphinx/cmudict), "
        "Copyright (C) 1993-2015 Carnegie Mellon University. All rights reserved. Its licence is BSD with two clauses; its "
        "conditions and disclaimer stand in NOTICE."
    ),
    "tatoeba": (
        "The weights were trained on sentences from Tatoeba (https://tatoeba.org) by its contributors, by way of "
        "manythings.org/anki, which are under CC BY 2.0 FR (https://creativecommons.org/licenses/by/2.0/fr/). "
        "The weights are under the same licence."
    ),
}


def attribution(corpus: str) -> str:
    """The credits for a model trained on a named corpus, see `corpora.named`; "" if none are required."""
    return _ATTRIBUTIONS.get(corpus, "")
