import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFIG = Path(__file__).resolve().parents[2] / "configs" / "tatoeba.toml"

COMMANDS = ["train", "distill", "translate", "score", "evaluate", "align", "export", "pack", "demo"]


def one_line(text):
    return text.count("\n") == 1 and text.startswith("Error: ")


def slow_libraries(*arguments):
    """Those that a command has loaded when it ends: each takes a good part of a second, TensorFlow several."""
    code = (
        "import sys\n"
        "from keras_attn.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "slow = {'tensorflow', 'keras', 'numpy', 'matplotlib', 'sacrebleu', 'sentencepiece'}\n"
        "print(*sorted(slow & sys.modules.keys()), sep=',')"
    )
    command = [sys.executable, "-c", code, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return result.stdout.splitlines()[-1]


def test_the_installed_command_prints_its_help(run_script):
    result = run_script("--help")
    assert result.returncode == 0 and not result.stderr
    assert result.stdout.startswith(b"Usage: keras-attn ")


def test_help_loads_no_library_that_takes_long():
    assert slow_libraries("translate", "--help") == ""


def test_a_mistake_in_a_config_is_found_before_any_library_that_takes_long_is_loaded(tmp_path):
    (tmp_path / "config.toml").write_text("[model]\ncel = 'lstm'\n")
    assert slow_libraries("train", tmp_path / "config.toml", tmp_path / "run") == ""


def test_the_help_names_the_commands_in_the_order_of_their_use(run):
    result = run("--help")
    listed = [line.split()[0] for line in result.stdout.partition("Commands:\n")[2].splitlines()]
    assert listed == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example_that_names_it(command, run):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"keras-attn {command} " in result.stdout.partition("Example:")[2]


def test_the_version_is_the_package_s(run):
    import keras_attn

    assert run("--version").stdout == f"keras-attn, version {keras_attn.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing command"),
        (["translat"], "No such command 'translat'."),
        (["translate", ".", "--beamsize", "3"], "--beam-size"),
        (["translate"], "Missing argument 'FOLDERS...'"),
        (
            ["translate", "nowhere"],
            "there is no folder 'nowhere' and no packaged model of that name. Packaged: cmudict, ",
        ),
        (["translate", "tatoeba-en-sp"], "of that name; did you mean 'tatoeba-en-es'? Packaged: cmudict, "),
        (["translate", "en-fr"], "of that name; did you mean 'tatoeba-en-fr'? Packaged: cmudict, "),
        (["translate", "Tatoeba-EN-ES"], "of that name; did you mean 'tatoeba-en-es'? Packaged: cmudict, "),
        (["translate", "Where is it?"], "Text to translate comes from standard input."),
        (["translate", ".", "--beam-size", "0"], "0 is not in the range 1<=x<=1000"),
        (["translate", ".", "--beam-size", "many"], "'many' is not a valid integer"),
        (["translate", "."], "is not a model folder: it has no config.toml"),
        (["translate", ".", "--top-k", "5"], "--top-k needs --sample"),
        (["translate", ".", "--sample", "--beam-size", "5"], "do not apply to --sample"),
        (["train", "nowhere.toml", "runs"], "File 'nowhere.toml' does not exist"),
        (["evaluate", ".", "--source", "a"], "File 'a' does not exist"),
        (["align", "."], "give SOURCE_FILE and TARGET_FILE, or --source-text and --output"),
        (["align", ".", "--source-text", "a"], "--source-text needs --output"),
        (["align", ".", "a", "b", "--one-based"], "File 'a' does not exist"),
        (["align", ".", "--source-text", "a", "--output", "a.jpg"], "a .png or .svg file; got 'a.jpg'"),
        (["export", "."], "Missing option '--format'"),
        (["train", CONFIG, ""], "'FOLDER': it is empty: expected the name of a folder"),
        (["pack", ".", ""], "'OUTPUT': it is empty: expected the name of a folder"),
        (["translate", ".", "--beam-size", "1001"], "1001 is not in the range 1<=x<=1000"),
        (["export", ".", "--format", "tflite"], "'tflite' is not one of 'saved-model', 'litert'"),
        (["export", ".", "--format", "saved-model", "--precision", "int8"], "need --format litert"),
        (["export", ".", "--format", "saved-model", "--any-source-length"], "need --format litert"),
    ],
)
def test_a_mistake_is_one_line_on_stderr_and_exit_code_2(arguments, message, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert one_line(result.stderr) and message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("content", "overrides", "message"),
    [
        ("[model]\ncel = 'lstm'\n", [], "unknown key model.cel; did you mean 'cell'?"),
        (
            "[model]\ncell = 'rnn'\n",
            [],
            "model.cell takes 'gru', 'lstm', 'layer_norm_gru', 'gru_reset_after'; got 'rnn'",
        ),
        ("[model", [], "is not valid TOML"),
        ("epochs = 3\n", [], "epochs belongs in the section [training]"),
        ("[training]\noptimizer = 'adma'\n", [], "got 'adma'. Did you mean 'adam'?"),
        ("[model]\npreset = 'bahdanau'\n", [], "got 'bahdanau'. Did you mean 'bahdanau2015'?"),
        ("", ["--set", "training.epoch=3"], "unknown key training.epoch; did you mean 'epochs'?"),
        ("", ["--set", "epochs"], "expected section.key=value, got 'epochs'"),
        ("", ["--set", "data.train=['\udcff.en', 'a.fr']"], "is not UTF-8, as a config has to be"),
    ],
)
def test_a_mistake_in_a_config_is_named(content, overrides, message, run, tmp_path):
    (tmp_path / "config.toml").write_text(content)
    result = run("train", tmp_path / "config.toml", tmp_path / "run", *overrides)
    assert result.exit_code == 2
    assert one_line(result.stderr) and message in result.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["config.toml", "metrics.json", "log.csv", "SHA256SUMS", "engine.zip"])
def test_files_of_others_in_the_folder_of_a_training_are_kept(name, run, tmp_path):
    (tmp_path / name).write_text("# mine\n")
    result = run("train", CONFIG, tmp_path)
    assert result.exit_code == 2
    assert f"training writes a {name} of its own" in result.stderr
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: "# mine\n"}


def test_an_error_of_several_lines_becomes_one(run, monkeypatch):
    def fail(*_, **__):
        raise ValueError("expected this\n  got that")

    monkeypatch.setattr("keras_attn.config.load", fail)
    assert run("train", __file__, "runs").stderr == "Error: expected this got that\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_a_full_output_is_a_mistake_in_one_line():
    with open("/dev/full", "w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "keras_attn", "--help"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (process.returncode, process.stderr) == (2, "Error: No space left on device\n")


def test_a_file_that_cannot_be_written_is_named(run, monkeypatch):
    def fail(*_, **__):
        raise PermissionError(13, "Permission denied", "/there")

    monkeypatch.setattr("keras_attn.config.load", fail)
    result = run("train", __file__, "runs")
    assert (result.exit_code, result.stderr) == (2, "Error: /there: Permission denied\n")


def test_a_fault_of_the_program_is_not_hidden(run, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("keras_attn.config.load", fail)
    assert isinstance(run("train", __file__, "runs").exception, ZeroDivisionError)


def test_an_interruption_gives_130_without_a_traceback(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("keras_attn.config.load", interrupt)
    result = run("train", __file__, "runs")
    assert result.exit_code == 130
    assert result.stderr.strip() == ""


@pytest.mark.parametrize(
    ("backend", "command", "message"),
    [
        ("nonsense", "train", "Keras cannot run with KERAS_BACKEND=nonsense: "),
        ("nonsense", "demo", "Keras cannot run with KERAS_BACKEND=nonsense: "),
        ("jax", "demo", "exports are TensorFlow graphs, but Keras runs on jax: set KERAS_BACKEND=tensorflow"),
    ],
)
def test_a_backend_that_cannot_do_it_is_a_mistake_found_before_the_work(backend, command, message, tmp_path):
    (tmp_path / "config.toml").write_text("[training]\nepochs = 1\n")
    result = subprocess.run(
        [sys.executable, "-m", "keras_attn", command, tmp_path / "config.toml", tmp_path / "run"],
        capture_output=True,
        text=True,
        env={**os.environ, "KERAS_BACKEND": backend},
    )
    assert result.returncode == 2
    assert one_line(result.stderr) and message in result.stderr
    assert not (tmp_path / "run").exists()


def test_a_backend_of_keras_json_that_is_not_there_is_a_mistake_too(tmp_path):
    (tmp_path / "config.toml").write_text("[training]\nepochs = 1\n")
    (tmp_path / "keras.json").write_text('{"backend": "openvino"}')
    known = {name: value for name, value in os.environ.items() if name != "KERAS_BACKEND"}
    result = subprocess.run(
        [sys.executable, "-m", "keras_attn", "train", tmp_path / "config.toml", tmp_path / "run"],
        capture_output=True,
        text=True,
        env={**known, "KERAS_HOME": str(tmp_path)},
    )
    assert result.returncode == 2
    assert one_line(result.stderr) and "the backend that its keras.json names: " in result.stderr


def test_the_module_runs_as_the_command_does():
    command = [sys.executable, "-m", "keras_attn", "translate", "nowhere"]
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"})
    assert result.returncode == 2
    assert result.stderr.startswith("Error: ") and "'keras-attn translate --help'" in result.stderr
