"""`keras-attn demo`, with everything that takes long replaced."""

import re
from pathlib import Path

from keras_attn import config as configs
from keras_attn.cli.demo import SENTENCES
from keras_attn.corpora import phrasebook
from keras_attn.inference.translation import Translation


def test_the_demo_trains_evaluates_exports_and_draws_and_lists_what_it_wrote(run, noted, tmp_path):
    pairs = phrasebook.generate(500, split="test")
    sides = [pair.source for pair in pairs], [pair.target for pair in pairs]
    gold = [set(pair.alignment) for pair in pairs]
    half = [set(sorted(links)[: len(links) // 2]) for links in gold]
    (tmp_path / "my.toml").write_text("[training]\nepochs = 3\n")
    out = tmp_path / "demo"
    (out / "model").mkdir(parents=True)
    (out / "model" / "b.txt").write_bytes(bytes(12_345))
    (out / "a.txt").write_bytes(b"1")

    trained = noted("keras_attn.training.fit.train")
    made = noted("keras_attn.export.engine.make_engine")
    loaded = noted("keras_attn.inference.translator.Translator.load", returns="a model")
    evaluated = noted("keras_attn.evaluation.evaluate.evaluate", returns=["BLEU 1", "BLEU 2"])
    aligned = noted("keras_attn.alignment.align.align", returns=half)
    litert = noted("keras_attn.export.litert.export_litert", returns="compared")
    served = noted("keras_attn.export.saved_model.export_saved_model", returns="compared")
    drawn = noted("keras_attn.alignment.align.draw_attention", returns=Translation("", "said"))
    result = run("demo", tmp_path / "my.toml", out)

    assert result.exit_code == 0, result.stderr
    assert trained == [((configs.load(tmp_path / "my.toml"), out / "model"), {})]
    assert made == loaded == [((out / "model",), {})]
    assert evaluated == aligned == [(("a model", *sides), {})]
    compared = {"sources": sides[0], "references": sides[1]}
    assert served == [((out / "model", out / "saved-model"), compared)]
    assert litert == [
        ((out / "model", out / f"litert-{precision}"), {**compared, "precision": precision})
        for precision in ("float32", "int8")
    ]
    pictures = [out / f"attention-{number}.png" for number in (1, 2, 3)]
    assert drawn == [
        (("a model", sentence, None, picture), {})
        for sentence, picture in zip(SENTENCES, pictures, strict=True)
    ]
    right, wanted = (sum(map(len, links)) for links in (half, gold))
    said = result.stdout
    assert "Evaluate on 500 held-out sentences\n----" in said and "BLEU 1\nBLEU 2\n" in said
    assert f"alignment error rate {1 - 2 * right / (right + wanted):.3f} " in said
    assert said.count("compared") == 3
    assert re.search(r"All of this took \d+ s\. Files", said)
    files = [line.split() for line in said.splitlines()[-2:]]
    assert files == [["1", str(out / "a.txt")], ["12,345", str(Path(out, "model", "b.txt"))]]
