"""Every option of a command arrives where it is used. What is called in the end is replaced, so nothing is loaded."""

import warnings

import pytest

from keras_attn.cli import translate as translating
from keras_attn.cli.loading import add_engine
from keras_attn.cli.translate_lines import LineTranslator
from keras_attn.config import Sampling
from keras_attn.inference.translation import Translation
from keras_attn.storage import packaged
from keras_attn.text.corpus import Corpus


@pytest.fixture
def model(tmp_path):
    """A folder in the place of a model."""
    (tmp_path / "model").mkdir()
    return str(tmp_path / "model")


@pytest.fixture
def translators(monkeypatch):
    """Those that `keras-attn translate` makes: each says what it is given, in capitals."""
    made = []

    class Shouting(LineTranslator):
        def load(self):
            made.append(self)

        def __call__(self, block):
            return "".join(f"{line.decode().upper()}\n" for line in block[1])

    monkeypatch.setattr(translating, "LineTranslator", Shouting)
    return made


def test_translate_passes_on_all_options_of_a_search(run, model, translators, tmp_path):
    (tmp_path / "terms.tsv").write_text("cat\tchat\n")
    numbers = {
        "beam_size": 4,
        "length_penalty": 0.5,
        "coverage_penalty": 0.25,
        "diversity": 0.75,
        "min_length": 3,
        "no_repeat_ngram": 2,
        "batch_size": 7,
    }
    options = [part for name, number in numbers.items() for part in (f"--{name.replace('_', '-')}", number)]
    texts = ["--prefix", "un", "--glossary", tmp_path / "terms.tsv", "--engine", "keras", "--word-scores"]
    result = run("translate", model, model, *options, *texts, "--n-best", 2, stdin=b"a\nb\n")
    assert result.stdout == "A\nB\n"
    (made,) = translators
    glossary = made.options.pop("glossary")
    assert glossary.terms == {"cat": "chat"}
    assert made.options == {**numbers, "prefix": "un"}
    assert (made.folders, made.engine) == ((model, model), "keras")
    assert (made.n_best, made.word_scores, made.tags) == (2, True, False)


def test_translate_passes_on_nothing_that_was_not_asked_for(run, model, translators):
    assert run("translate", model, stdin=b"a\n").exit_code == 0
    assert vars(translators[0]) == vars(LineTranslator((model,), "auto", {}, None, False, False))


def test_translate_passes_on_an_option_of_0(run, model, translators):
    zeros = ["length-penalty", "coverage-penalty", "diversity", "min-length", "no-repeat-ngram"]
    run("translate", model, *[part for name in zeros for part in (f"--{name}", 0)], stdin=b"a\n")
    assert translators[0].options == dict.fromkeys((name.replace("-", "_") for name in zeros), 0)


@pytest.mark.parametrize(
    ("options", "sampling"),
    [
        ([], Sampling(temperature=1.0, top_k=0, top_p=1.0, seed=1)),
        (["--temperature", 0.5], Sampling(temperature=0.5)),
        (["--top-k", 3], Sampling(top_k=3)),
        (["--top-p", 0.9], Sampling(top_p=0.9)),
        (["--seed", 0], Sampling(seed=0)),
    ],
)
def test_translate_passes_on_how_to_sample(run, model, translators, options, sampling):
    run("translate", model, "--sample", *options, "--tags", "--min-length", 3, stdin=b"a\n")
    assert translators[0].options == {"sampling": sampling, "min_length": 3}
    assert translators[0].tags


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--temperature", 2], "--temperature needs --sample"),
        (["--top-p", 0.5], "--top-p needs --sample"),
        (["--seed", 0], "--seed needs --sample"),
        (["--sample", "--workers", 2], "--sample uses one process: leave out --workers"),
        (["--sample", "--length-penalty", 0], "do not apply to --sample"),
        (["--sample", "--coverage-penalty", 0], "do not apply to --sample"),
        (["--sample", "--diversity", 0], "do not apply to --sample"),
        (["--sample", "--glossary", __file__], "do not apply to --sample"),
        (["--tags", "--word-scores"], "--tags places the tags of the best translation"),
        (["--workers", 0], "0 is not in the range x>=1"),
        (["--top-p", 1.1], "1.1 is not in the range"),
        (["--temperature", 0], "0.0 is not in the range"),
        (["--seed", 2**32], "is not in the range"),
        (["--engine", "tflite"], "'tflite' is not one of 'auto', 'litert', 'int8', 'keras'"),
    ],
)
def test_translate_refuses_what_does_not_go_together(run, model, translators, options, message):
    result = run("translate", model, *options, stdin=b"a\n")
    assert result.exit_code == 2 and message in result.stderr and result.stderr.count("\n") == 1
    assert result.stdout == "" and not translators


def test_a_packaged_model_is_taken_by_its_name_unless_a_folder_has_it(
    run, translators, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    run("translate", "cmudict", stdin=b"a\n")
    (tmp_path / "cmudict").mkdir()
    run("translate", "cmudict", stdin=b"a\n")
    assert [made.folders for made in translators] == [(str(packaged.folder("cmudict")),), ("cmudict",)]


@pytest.fixture
def pair(tmp_path):
    """A source file and a target file of three lines."""
    paths = [tmp_path / "a.en", tmp_path / "a.fr"]
    paths[0].write_text("the cat\na dog\nno\n"), paths[1].write_text("le chat\nun chien\nnon\n")
    return paths


PAIRS = (["the cat", "a dog", "no"], ["le chat", "un chien", "non"])


def test_align_passes_on_its_options_and_the_models_in_their_order(run, model, pair, noted, tmp_path):
    (tmp_path / "back").mkdir()
    loaded = noted("keras_attn.cli.align.load_translator", returns="a model")
    one_way = noted("keras_attn.alignment.align.align", returns=[{(1, 0), (0, 1)}, set(), {(0, 0)}])
    both_ways = noted("keras_attn.alignment.align.align_both_ways", returns=[{(0, 0)}, set(), set()])
    result = run("align", model, *pair, "--threshold", 0.25, "--next-step")
    assert result.stdout == "0-1 1-0\n\n0-0\n"
    assert one_way == [(("a model", *PAIRS), {"threshold": 0.25, "next_step": True})]
    run("align", model, *pair)
    assert one_way[1] == (("a model", *PAIRS), {"threshold": None, "next_step": False})
    assert run("align", model, *pair, "--reverse", tmp_path / "back", "--next-step").stdout == "0-0\n\n\n"
    assert both_ways == [(("a model", "a model", *PAIRS), {"threshold": None, "next_step": True})]
    assert [arguments for arguments, _ in loaded] == [(model,), (model,), (model,), (str(tmp_path / "back"),)]


def test_align_prints_error_rate_precision_and_recall_in_this_order(run, model, pair, noted, tmp_path):
    """A = 4 links, S = 3; one of A is sure, two are possible: 1 - (1 + 2) / (4 + 3), 2 / 4 and 1 / 3."""
    noted("keras_attn.cli.align.load_translator")
    noted("keras_attn.alignment.align.align", returns=[{(0, 0), (0, 1), (1, 0)}, set(), {(0, 0)}])
    (tmp_path / "gold").write_text("0-0 0p1\n0-0\n0-1\n")
    result = run("align", model, *pair, "--gold", tmp_path / "gold")
    assert result.stdout == "AER 0.571  precision 0.500  recall 0.333  (3 sentences)\n"


@pytest.mark.parametrize(
    "other", [["--next-step"], ["--threshold", 0.5], ["--reverse", "."], ["--gold", __file__], [__file__]]
)
def test_a_drawing_takes_no_other_options(run, model, other):
    result = run("align", model, *other, "--source-text", "a", "--output", "a.png")
    assert result.exit_code == 2
    assert "--source-text needs --output, and takes only --target-text besides" in result.stderr


@pytest.mark.parametrize("text", [["--target-text", "le chat"], []])
def test_align_draws_the_translation_that_it_is_given_or_the_model_s(run, model, noted, tmp_path, text):
    noted("keras_attn.cli.align.load_translator", returns="a model")
    drawn = noted("keras_attn.alignment.align.draw_attention", returns=Translation("the cat", "un chat"))
    picture = str(tmp_path / "a.png")
    result = run("align", model, "--source-text", "the cat", *text, "--output", picture)
    assert result.stdout == "un chat\n"
    assert drawn == [(("a model", "the cat", text[1] if text else None, picture), {})]


@pytest.mark.parametrize("split", ["dev", "test_2017_flickr", None])
def test_evaluate_takes_the_split_that_it_is_given_or_the_test_split(run, model, noted, split):
    class Scored:
        name = "beam_3"

        def as_dict(self):
            return {"bleu": 30.0}

    noted("keras_attn.cli.evaluate.load_translator", returns="a model")
    noted("keras_attn.cli.evaluate.load_data_config", returns="its data")
    taken = noted("keras_attn.data.splits.split_corpus", returns=Corpus(*PAIRS))
    tokenized = noted("keras_attn.evaluation.evaluate.tokenized_references", returns=["x", "y", "z"])
    asked = noted("keras_attn.evaluation.evaluate.evaluate", returns=[Scored()])
    kept = noted("keras_attn.cli.evaluate.update_metrics")
    name = split or "test"
    result = run("evaluate", model, *(["--split", split] if split else []))
    assert result.stderr == f"translating 3 lines of {name}\n"
    assert taken == tokenized == [(("its data", name), {})]
    assert asked == [(("a model", *PAIRS, None, ["x", "y", "z"]), {"more_references": []})]
    assert kept == [((model, {f"{name}_beam_3": {"bleu": 30.0}}), {})]


@pytest.fixture
def exported(noted):
    """What is exported, in which form."""
    noted("keras_attn.cli.export.check_model_folder")
    noted("keras_attn.cli.export.load_keras")
    noted("keras_attn.cli.export.load_model", returns="a model")
    return {
        "litert": noted("keras_attn.export.litert.export_litert", returns="compared"),
        "saved-model": noted("keras_attn.export.saved_model.export_saved_model", returns=None),
    }


OF_LITERT = {
    "precision": "float32",
    "beam_size": 1,
    "source_length": 64,
    "max_length": 64,
    "padded": True,
    "sources": PAIRS[0],
    "references": None,
}


@pytest.mark.parametrize(
    ("options", "folder", "expected"),
    [
        ([], "litert-float32", {}),
        (["--precision", "int8"], "litert-int8", {"precision": "int8"}),
        (["--beam-size", 3], "litert-float32", {"beam_size": 3}),
        (["--source-length", 20], "litert-float32", {"source_length": 20}),
        (["--max-length", 200], "litert-float32", {"max_length": 200}),
        (["--any-source-length"], "litert-float32", {"source_length": None, "padded": False}),
        (
            ["--any-source-length", "--source-length", 9, "--output", "elsewhere"],
            None,
            {"source_length": 9, "padded": False},
        ),
        (["--reference", "TARGET"], "litert-float32", {"references": PAIRS[1]}),
    ],
    ids=str,
)
def test_export_passes_on_the_options_of_litert(run, model, pair, exported, options, folder, expected):
    options = [pair[1] if option == "TARGET" else option for option in options]
    result = run("export", model, "--format", "litert", "--source", pair[0], *options)
    output = f"{model}/{folder}" if folder else "elsewhere"
    assert result.stdout == f"{output}\ncompared\n"
    assert exported["litert"] == [(("a model", output), {**OF_LITERT, **expected})]
    assert not exported["saved-model"]


@pytest.mark.parametrize(("beam_size", "max_length"), [(None, None), (1, 20), (4, None)])
def test_export_passes_on_the_options_of_a_saved_model(run, model, pair, exported, beam_size, max_length):
    options = ["--beam-size", beam_size] if beam_size else []
    options += ["--max-length", max_length] if max_length else []
    files = ["--source", pair[0], "--reference", pair[1]]
    result = run("export", model, "--format", "saved-model", *files, *options)
    assert result.stdout == f"{model}/saved-model\n"
    compared = {"beam_size": beam_size, "max_length": max_length}
    compared |= {"sources": PAIRS[0], "references": PAIRS[1]}
    assert exported["saved-model"] == [(("a model", f"{model}/saved-model"), compared)]
    assert not exported["litert"]


def test_export_compares_on_the_dev_split_if_no_file_is_named(run, model, exported, noted):
    noted("keras_attn.cli.export.load_data_config", returns="its data")
    taken = noted("keras_attn.data.splits.split_corpus", returns=Corpus(*PAIRS))
    run("export", model, "--format", "litert")
    assert taken == [(("its data", "dev"), {})]
    assert exported["litert"][0][1] == {**OF_LITERT, "references": PAIRS[1]}


def test_export_of_a_saved_model_has_no_source_length(run, model, exported):
    result = run("export", model, "--format", "saved-model", "--source-length", 20)
    assert result.exit_code == 2 and "need --format litert" in result.stderr
    assert not exported["saved-model"]


@pytest.fixture
def config(tmp_path):
    (tmp_path / "my.toml").write_text("[training]\nepochs = 3\n")
    return str(tmp_path / "my.toml")


def test_a_new_vocabulary_needs_a_model_to_start_from(run, config, noted):
    trained = noted("keras_attn.training.fit.train")
    result = run("train", config, "run", "--new-vocabulary")
    assert result.exit_code == 2 and "--new-vocabulary needs --from" in result.stderr and not trained


def test_pack_keeps_the_metrics_in_half_precision_and_says_how_many_megabytes_it_made(
    run, model, noted, tmp_path, monkeypatch
):
    saved = []

    def save(folder, trained, metrics, precision):
        saved.append((trained, metrics, precision))
        (folder / "weights").write_bytes(bytes(2_460_000))

    noted("keras_attn.cli.pack.check_model_folder")
    noted("keras_attn.cli.pack.load_keras")
    noted("keras_attn.cli.pack.load_model", returns="a model")
    noted("keras_attn.cli.pack.load_metrics", returns={"bleu": 30.0})
    monkeypatch.setattr("keras_attn.cli.pack.save_model", save)
    monkeypatch.setattr(
        "keras_attn.cli.pack.add_engine",
        lambda folder, name: (folder / "engine").write_bytes(bytes(1_000_000)),
    )
    result = run("pack", model, tmp_path / "packed")
    assert result.stdout == f"{tmp_path / 'packed'}  3.5 MB\n"
    assert saved == [("a model", {"bleu": 30.0}, "float16")]


def test_score_prints_log_probabilities_and_probabilities_of_words(run, model, pair, noted):
    class Forcing:
        def force(self, sources, targets):
            assert (sources, targets) == PAIRS
            return [
                Translation(*pair, log_prob=-1.23456, words=(("a", 0.0), ("b", -0.5)))
                for pair in zip(*PAIRS, strict=True)
            ]

    noted("keras_attn.cli.score.load_translator", returns=Forcing())
    assert run("score", model, *pair).stdout == "-1.2346\n" * 3
    assert run("score", model, *pair, "--word-scores").stdout == "-1.2346\t1.0000 0.6065\n" * 3


def test_the_same_warning_about_two_blocks_is_given_twice(run, config, monkeypatch):
    def warn(*_, **__):
        for _ in range(2):
            warnings.warn("1 of 16 lines was cut", stacklevel=1)
        raise ValueError("and then")

    monkeypatch.setattr("keras_attn.config.load", warn)
    result = run("train", config, "run")
    assert result.stderr == "Warning: 1 of 16 lines was cut\n" * 2 + "Error: and then\n"


class OutOfMemoryError(Exception):
    """As torch's is called."""


class ResourceExhaustedError(Exception):
    """Has the name of TensorFlow's."""


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ResourceExhaustedError("OOM when allocating"),
        OutOfMemoryError("CUDA out of memory"),
        RuntimeError("RESOURCE_EXHAUSTED: Out of memory"),  # JAX's
    ],
)
def test_too_little_memory_is_one_line(run, config, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("keras_attn.config.load", fail)
    result = run("train", config, "run")
    assert result.exit_code == 2
    assert result.stderr == "Error: not enough memory: use a smaller model, batch or beam\n"


def test_an_error_of_the_system_without_a_file_keeps_its_message(run, config, monkeypatch):
    def fail(*_, **__):
        raise OSError("cannot write here: no space")

    monkeypatch.setattr("keras_attn.config.load", fail)
    assert run("train", config, "run").stderr == "Error: cannot write here: no space\n"


def test_no_engine_is_made_where_keras_runs_on_another_backend(noted, monkeypatch, capsys):
    made = noted("keras_attn.export.engine.make_engine")
    add_engine("run")
    assert made == [(("run",), {})] and capsys.readouterr().err == ""
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    add_engine("run")
    assert len(made) == 1
    assert "run gets no engine: making one needs Keras on TensorFlow" in capsys.readouterr().err
