import dataclasses
import re

import pytest

from keras_attn import config
from keras_attn.config import (
    Config,
    ConfigError,
    DataConfig,
    ModelConfig,
    SearchConfig,
    TokenizerConfig,
    TrainingConfig,
)
from keras_attn.config.presets import PRESETS
from keras_attn.config.schema import check_applicable

OTHER = Config(
    data=DataConfig(corpus="", train=("a.en", "dé/b.de"), source_language='quo"ted \\ \n\t\x7f\u2028'),
    model=ModelConfig(
        source_vocab_size=8000, cell="lstm", residual=True, readout_dropout=0.25, variational_dropout=True
    ),
    training=TrainingConfig(learning_rate=1e-5, batch_size=0, batch_tokens=4096),
)


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "config.toml"
        path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        return path

    return write


@pytest.mark.parametrize("written", [Config(), OTHER], ids=["defaults", "other values"])
def test_what_is_written_is_read_again(written, write):
    assert config.load(write(config.to_toml(written))) == written


def test_every_key_that_applies_is_written_so_that_new_defaults_change_no_old_model():
    text = config.to_toml(Config())
    others = {
        "encoder_heads",
        "attention_score",
        "attention_scale",
        "attention_window",
        "weight_decay",
        "target_kind",
    }
    for section in dataclasses.fields(Config):
        assert f"[{section.name}]" in text
        for field in dataclasses.fields(section.type):
            assert (f"\n{field.name} = " in text) != (field.name in others)


def test_a_file_holds_only_what_differs(write):
    loaded = config.load(write('[model]\ncell = "lstm"\n[data]\ntrain = ["a", "b"]'))
    assert loaded == Config(model=ModelConfig(cell="lstm"), data=DataConfig(train=("a", "b")))


def test_an_empty_file_is_the_defaults(write):
    assert config.load(write("")) == Config()


def test_a_whole_number_may_stand_for_a_float(write):
    loaded = config.load(write("[training]\nlearning_rate = 1"))
    assert type(loaded.training.learning_rate) is float


@pytest.mark.parametrize(
    ("assignment", "value"),
    [
        ("model.cell=lstm", "lstm"),
        ('model.cell="lstm"', "lstm"),
        (" model.cell = lstm ", "lstm"),
        ("model.residual=true", True),
        ("model.encoder_layers=3", 3),
        ("model.decoder_layers=100", 100),  # the most
        ("data.augmentation=100", 100),
        ("data.concatenations=100", 100),
        ("search.beam_size=1000", 1000),
        ("search.max_length_factor=100", 100.0),
        ("training.epochs=2147483647", 2147483647),
        ("search.beam_size=1", 1),  # the least
        ("search.batch_size=1", 1),
        ("search.max_source_length=2", 2),
        ("training.learning_rate=0", 0.0),
        ("model.word_dropout=0.99", 0.99),
        ("training.devices=2", 2),
        ("training.devices=auto", "auto"),
        ("training.jit_compile=false", False),
        ("training.learning_rate=3e-4", 3e-4),
        ("training.learning_rate=1", 1.0),
        ('data.train=["a=b.en", "b.de"]', ("a=b.en", "b.de")),
        ("data.corpus=", ""),
        ("data.corpus=multi30k", "multi30k"),
    ],
)
def test_an_override_sets_one_value(assignment, value):
    section, _, key = assignment.partition("=")[0].strip().partition(".")
    found = config.override(Config(), [assignment])
    assert getattr(getattr(found, section), key) == value
    reset = dataclasses.replace(found, **{section: getattr(Config(), section)})
    assert reset == Config()


def test_the_last_override_wins_over_the_file_and_the_ones_before(write):
    path = write("[training]\nseed = 2\nepochs = 3")
    loaded = config.load(path, ["training.seed=4", "training.seed=5"])
    assert (loaded.training.seed, loaded.training.epochs) == (5, 3)


def test_a_byte_order_mark_before_a_config_is_no_part_of_it(write):
    assert config.load(write("\ufeff[training]\nepochs = 3")).training.epochs == 3


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("model.encoder_unit=3", r"unknown key model\.encoder_unit; did you mean 'encoder_units'\?"),
        ("modle.cell=gru", r"unknown section \[modle\]; did you mean 'model'\?"),
        ("model.zzz=1", r"unknown key model\.zzz; known: preset, source_vocab_size, "),
        ("model.cell.x=1", r"unknown key model\.cell\.x; did you mean 'cell'\?"),
        (
            "model.cell=rnn",
            r"model\.cell takes 'gru', 'lstm', 'layer_norm_gru', 'gru_reset_after'; got 'rnn'",
        ),
        ("model.encoder_layers=two", r"model\.encoder_layers takes an integer; got 'two'"),
        ("model.encoder_layers=2.0", r"model\.encoder_layers takes an integer; got 2\.0"),
        ("model.encoder_layers=true", r"model\.encoder_layers takes an integer; got True"),
        ("model.residual=1", r"model\.residual takes true or false; got 1"),
        ("training.learning_rate=fast", r"training\.learning_rate takes a number; got 'fast'"),
        ("training.devices=many", r"training\.devices takes 'auto' or an integer; got 'many'"),
        ("training.devices=-1", r"training\.devices cannot be negative; got -1"),
        ("training.jit_compile=1", r"training\.jit_compile takes 'auto' or true or false; got 1"),
        ("data.corpus=30", r"data\.corpus takes a string; got 30"),
        ("data.train=a.en", r"data\.train takes a list of strings; got 'a\.en'"),
        ("data.train=[1]", r"data\.train takes a list of strings; got \[1\]"),
        ("training.epochs=-1", r"training\.epochs cannot be negative; got -1"),
        ("training.learning_rate=-0.1", r"training\.learning_rate cannot be negative"),
        ("training.learning_rate=nan", r"training\.learning_rate takes a finite number; got nan"),
        ("search.length_penalty=inf", r"search\.length_penalty takes a finite number; got inf"),
        ("model.memory_dropout=1.0", r"model\.memory_dropout takes a rate from 0 up to, not including, 1"),
        ("model.readout_dropout=1.0", r"model\.readout_dropout takes a rate from 0 up to, not including, 1"),
        ("model.encoder_layers=101", r"model\.encoder_layers takes at most 100; got 101"),
        ("model.decoder_layers=101", r"model\.decoder_layers takes at most 100; got 101"),
        ("data.augmentation=101", r"data\.augmentation takes at most 100; got 101"),
        ("data.concatenations=101", r"data\.concatenations takes at most 100; got 101\.0"),
        ("search.beam_size=1001", r"search\.beam_size takes at most 1000; got 1001"),
        ("search.min_length=10001", r"search\.min_length takes at most 10000; got 10001"),
        ("search.max_length_factor=100.5", r"search\.max_length_factor takes at most 100; got 100\.5"),
        ("search.max_length_extra=10001", r"search\.max_length_extra takes at most 10000; got 10001"),
        ("search.max_source_length=100001", r"search\.max_source_length takes at most 100000; got 100001"),
        ("search.batch_size=10001", r"search\.batch_size takes at most 10000; got 10001"),
        ("training.epochs=2147483648", r"training\.epochs takes at most 2147483647; got 2147483648"),
        ("search.beam_size=0", r"search\.beam_size must be at least 1\. Received: 0"),
        ("search.batch_size=0", r"search\.batch_size must be at least 1\. Received: 0"),
        ("search.max_source_length=1", r"search\.max_source_length must be at least 2: .* Received: 1"),
        ("model.cell", r"expected section\.key=value, got 'model\.cell'"),
        ("cell=lstm", r"expected section\.key=value, got 'cell=lstm'"),
        (
            "model.attention_window=5",
            r"model\.attention_window does not apply to model\.attention = 'bahdanau': it is for attention = 'local-m' or "
            r"'local-p'\. Remove it",
        ),
        (
            "model.encoder_heads=2",
            r"does not apply to model\.encoder = 'bidirectional': it is for encoder = 'transformer'",
        ),
        (
            "training.weight_decay=0.1",
            r"does not apply to training\.optimizer = 'adam': it is for optimizer = 'adamw'",
        ),
    ],
)
def test_an_override_that_cannot_be_used_says_why(assignment, message):
    with pytest.raises(ConfigError, match=message):
        config.override(Config(), [assignment])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[model]\ncells = 'gru'", r"unknown key model\.cells; did you mean 'cell'\?"),
        ("model = 3", r"model is a section: write \[model\] and its keys below it"),
        ("[model\n", r"config\.toml is not valid TOML: "),
        (b"\xff\xfe", r"config\.toml is not valid TOML: "),
    ],
)
def test_a_file_that_cannot_be_used_says_why(text, message, write):
    with pytest.raises(ConfigError, match=message):
        config.load(write(text))


def test_a_key_of_another_kind_is_refused_even_with_its_default(write):
    with pytest.raises(
        ConfigError, match=r"model\.attention_units does not apply to .*'general': it is for .*'concat'"
    ):
        config.load(write('[model]\nattention = "luong"\nattention_units = 256'))
    concat = '[model]\nattention = "luong"\nattention_score = "concat"\nattention_units = 256'
    assert config.load(write(concat)).model.attention_units == 256


def test_another_kind_takes_the_keys_of_the_old_one_with_it(write):
    path = write('[model]\nattention = "local-m"\nattention_window = 5')
    changed = config.load(path, ["model.attention=bahdanau"]).model
    assert changed == ModelConfig(attention="bahdanau")
    with pytest.raises(ConfigError, match="attention_window does not apply"):
        config.load(path, ["model.attention=bahdanau", "model.attention_window=5"])


def test_a_preset_takes_over_what_was_set_before_it(write):
    """`dot` is then the preset's, and goes with the preset's attention; set after the preset it is the user's, and does not."""
    score, preset, another = "model.attention_score=dot", "model.preset=luong2015", "model.attention=bahdanau"
    changed = config.load(write(""), ["model.attention=luong", score, preset, another]).model
    assert changed == dataclasses.replace(ModelConfig.from_preset("luong2015"), attention="bahdanau")
    with pytest.raises(ConfigError, match="attention_score does not apply"):
        config.load(write(""), [preset, score, another])


@pytest.mark.parametrize("attention", ["bahdanau", "coverage", "luong", "none"])
@pytest.mark.parametrize("preset", PRESETS)
def test_what_a_preset_says_of_another_kind_is_no_mistake_of_the_users(preset, attention):
    chosen = ModelConfig.from_preset(preset, attention=attention)
    check_applicable("model", chosen)  # what does not apply has its default


def test_a_user_s_choice_takes_what_the_preset_said_of_another_with_it():
    assert ModelConfig.from_preset("cs224n").attention_score == "dot"
    assert ModelConfig.from_preset("cs224n", attention="bahdanau").attention_score == "general"


def test_old_configs_that_hold_every_key_can_be_read():
    everything = {field.name: getattr(ModelConfig(), field.name) for field in dataclasses.fields(ModelConfig)}
    with pytest.raises(ConfigError, match="does not apply"):
        config.from_tables({"model": everything})
    assert config.from_tables(config.without_unused({"model": everything})) == Config()


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"no config file at .*nowhere\.toml"):
        config.load(tmp_path / "nowhere.toml")
    with pytest.raises(ConfigError, match="is a folder; expected a TOML file"):
        config.load(tmp_path)


def test_a_config_cannot_be_changed_behind_ones_back():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().model.cell = "lstm"


def test_a_config_error_is_a_value_error():
    """The command line turns these into one line."""
    assert issubclass(ConfigError, ValueError)


@pytest.mark.parametrize("text", ["a = " + "[" * 30_000, "a = " + "{a=" * 10_000], ids=["arrays", "tables"])
def test_a_file_that_is_nested_too_deeply_is_refused(write, text):
    with pytest.raises(ConfigError, match="is nested too deeply to be a config"):
        config.load(write(text))


def test_a_value_that_is_nested_too_deeply_is_refused():
    with pytest.raises(ConfigError, match=r"a value that begins with '\[{20}' is nested too deeply"):
        config.override(Config(), ["training.epochs=" + "[" * 5000])


def test_a_file_of_32768_bytes_is_read(write):
    assert config.load(write("#" * 32_768)) == Config()


def test_a_file_larger_than_any_config_is_refused_before_it_is_parsed(write):
    with pytest.raises(
        ConfigError, match="is larger than 32,768 bytes, the limit for such a file: expected a config"
    ):
        config.load(write("#" * 32_769))
    with pytest.raises(ConfigError, match="/dev/zero is larger than 32,768 bytes"):
        config.load("/dev/zero")


def keys_of(section, values):
    """The keys of a section that apply to these values."""
    return config.to_tables(config.from_tables({section: values}))[section].keys()


@pytest.mark.parametrize(
    ("attention", "keys"),
    [
        ("bahdanau", "units heads normalize dropout"),
        ("coverage", "units dropout"),
        ("monotonic", "units dropout"),
        ("luong", "score scale heads dropout"),
        ("luong-monotonic", "score scale dropout"),
        ("local-m", "score scale window dropout"),
        ("local-p", "score scale window dropout"),
        ("none", ""),
    ],
)
def test_every_attention_has_its_own_keys_and_no_others(attention, keys):
    found = keys_of("model", {"attention": attention})
    assert {key for key in found if key.startswith("attention_")} == {
        f"attention_{key}" for key in keys.split()
    }
    assert ("copy" in found) == (attention != "none")
    if "score" in keys:
        concat = keys_of("model", {"attention": attention, "attention_score": "concat"})
        assert concat - found == {"attention_units"}


@pytest.mark.parametrize(
    ("section", "values", "applying", "others"),
    [
        ("model", {"encoder": "bidirectional"}, {"encoder_units"}, {"encoder_heads"}),
        ("model", {"encoder": "transformer"}, {"encoder_heads"}, {"encoder_units"}),
        ("model", {"readout": "attentional"}, {"readout_units"}, set()),
        ("model", {"readout": "linear"}, {"readout_units"}, set()),
        ("model", {"readout": "plain"}, {"readout_dropout"}, {"readout_units"}),
        ("tokenizer", {"kind": "characters"}, {"lowercase", "lower_capitals"}, {"target_kind"}),
        ("tokenizer", {"kind": "characters", "lowercase": True}, {"lowercase"}, {"lower_capitals"}),
        ("tokenizer", {"kind": "words", "joint": False}, {"lowercase", "target_kind"}, set()),
        ("tokenizer", {"kind": "symbols"}, set(), {"lowercase", "lower_capitals"}),
        ("training", {"optimizer": "adamw"}, {"weight_decay"}, set()),
    ],
)
def test_other_kinds_have_their_own_keys_too(section, values, applying, others):
    found = keys_of(section, values)
    assert applying <= found and not others & found


def test_every_kind_that_the_package_has_can_be_named():
    from keras_attn.layers.recurrent_cells import CELLS
    from keras_attn.text.tokenizer import KINDS
    from keras_attn.training.best_by import SCORES

    named = {
        field.name: set(field.metadata["choices"])
        for section in (TokenizerConfig, ModelConfig, TrainingConfig)
        for field in dataclasses.fields(section)
        if "choices" in field.metadata
    }
    assert named["best_by"] == {"auto", *SCORES}
    assert named["cell"] == {*CELLS}
    assert named["kind"] == {*KINDS} and named["target_kind"] == {"same", *KINDS}


def test_the_defaults_are_a_plain_model_of_256_units_without_dropout():
    model = config.to_tables(Config())["model"]
    assert {value for key, value in model.items() if key.endswith(("_units", "_dim"))} == {256}
    assert {value for key, value in model.items() if key.endswith("_dropout")} == {0.0}  # False, too
    assert (model["encoder_layers"], model["decoder_layers"]) == (1, 1)
    assert not model["residual"] and not model["copy"]


def test_what_has_to_be_asked_for_is_off():
    training = TrainingConfig()
    off = (
        "batch_tokens evaluate_every warmup_steps subword_sampling r_drop scheduled_sampling guided_alignment"
    )
    assert {getattr(training, key) for key in (*off.split(), "ema_decay", "patience", "tensorboard")} == {0}
    assert training.gradient_accumulation == training.steps_per_execution == 1
    assert (training.mixed_precision, training.devices, training.jit_compile) == ("float32", "auto", "auto")
    assert Config().data.augmentation == Config().data.concatenations == 0


@pytest.mark.parametrize(
    ("settings", "length", "limit"),
    [
        ({}, 7, 24),  # 2 * 7 + 10
        ({"max_length_factor": 1.5, "max_length_extra": 0}, 3, 4),  # 4.5
        ({"max_length_factor": 0.0, "max_length_extra": 0}, 9, 2),  # room for a word and EOS
        ({"max_length_factor": 0.0, "max_length_extra": 0, "min_length": 0}, 9, 1),  # room for EOS
        ({"min_length": 24}, 7, 24),
        ({"min_length": 25}, 7, 25),
    ],
)
def test_a_translation_is_as_long_as_its_source_allows_and_as_the_least_length_asks(settings, length, limit):
    assert SearchConfig(**settings).length_limit(length) == limit


@pytest.fixture
def started(tmp_path):
    """Loads a config that starts from a model."""

    def load(text, overrides=(), **start):
        (tmp_path / "my.toml").write_text(text)
        return config.load(tmp_path / "my.toml", overrides, start=config.from_tables(start))

    return load


def test_what_a_file_leaves_out_of_a_model_is_as_in_the_start(started):
    model = {"decoder_units": 7, "attention": "bahdanau", "copy": True}
    search = {"beam_size": 3, "coverage_penalty": 0.05}
    found = started(
        "[search]\nbeam_size = 4\n[model]\nreadout_dropout = 0.2\n",
        ["model.memory_dropout=0.1"],
        model=model,
        search=search,
        tokenizer={"vocab_size": 77},
        training={"epochs": 9},
    )
    assert found.model == config.ModelConfig(**model, readout_dropout=0.2, memory_dropout=0.1)
    assert found.search == SearchConfig(beam_size=4, coverage_penalty=0.05)
    assert found.tokenizer.vocab_size == 77
    assert found.training.epochs != 9


def test_a_file_that_describes_another_kind_of_model_takes_no_value_that_does_not_apply_to_it(started):
    found = started('[model]\nattention = "luong"\n', model={"attention": "bahdanau", "attention_units": 7})
    assert found.model.attention == "luong"
    assert "attention_units" not in config.to_tables(found)["model"]


def test_a_preset_of_a_file_counts_more_than_the_start(started):
    found = started('[model]\npreset = "luong2015"\ndecoder_units = 7\n', model={"preset": "bahdanau2015"})
    luong = config.ModelConfig.from_preset("luong2015")
    assert found.model == dataclasses.replace(luong, decoder_units=7)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model = 3\n", "model is a section"),
        ("[model]\ndecoder_unit = 7\n", "unknown key model.decoder_unit"),
        ('[model]\ndecoder_units = "7"\n', "model.decoder_units takes an integer"),
        ('[model]\nattention = "luong"\nattention_units = 7\n', "attention_units"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_a_start_too(started, text, said):
    with pytest.raises(config.ConfigError, match=re.escape(said)):
        started(text, model={"attention": "bahdanau"})
