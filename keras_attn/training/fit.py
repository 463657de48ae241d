"""Training from start to finish: from a config to a model folder with the best model."""

import dataclasses
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import keras
from tqdm import tqdm

from keras_attn.config import Config, ConfigError, ModelConfig, TrainingConfig
from keras_attn.data.bucketing import check_budget
from keras_attn.data.pipeline import TrainingBatches, training_batches
from keras_attn.data.splits import Splits
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq
from keras_attn.storage import folder_files, model_folder
from keras_attn.storage.checksums import SUMS
from keras_attn.storage.model_folder import TrainedModel, load_config
from keras_attn.storage.sizes import check_search
from keras_attn.text.corpus import Corpus
from keras_attn.training import checkpoint as checkpoints
from keras_attn.training import precision
from keras_attn.training.best_by import SCORES, chosen
from keras_attn.training.callbacks import EndOfRound
from keras_attn.training.checkpoint import CheckpointError, TrainingState, Values
from keras_attn.training.development import evaluate_on_dev
from keras_attn.training.devices import Devices, find_devices
from keras_attn.training.divergence import StopOnDivergence, describe_batch
from keras_attn.training.freed_memory import keep_freed_memory
from keras_attn.training.history import LOG, tokens_per_second, write_csv
from keras_attn.training.inputs import (
    describe_unknown,
    digest,
    train_tokenizers,
    training_pairs,
    with_drawn_pairs,
)
from keras_attn.training.losses import AttentionCrossEntropy, SmoothedCrossEntropy, TokenCount
from keras_attn.training.memory import check_memory
from keras_attn.training.optimizers import build_optimizer
from keras_attn.training.plan import Plan
from keras_attn.training.progress import ShowProgress, tell
from keras_attn.training.r_drop import RDropCrossEntropy
from keras_attn.training.same_config import with_config, without_files
from keras_attn.training.scheduled_sampling import with_own_words
from keras_attn.training.start import Start


def train(
    config: Config,
    folder: str | Path,
    *,
    corpus: Splits | None = None,
    callbacks: Sequence[keras.callbacks.Callback] = (),
    start: Start | None = None,
) -> dict[str, Any]:
    """Trains a model, or resumes an earlier call for the same folder.

    `folder` becomes a model folder with the best model so far, according to `training.best_by` on the development set (with greedy
    search, and with the moving average of the weights if there is one). It also contains `log.csv`, `logs/` for TensorBoard, and
    `checkpoint/`. If training is killed at any moment and called again, it ends with the same weights as without the interruption:
    on a CPU with the same number of threads, to the bit.

    Args:
        config: what to train. It names the sentence pairs, unless `corpus` is given.
        folder: the folder for the model; made if it does not exist.
        corpus: the sentence pairs, instead of those named in `[data]`.
        callbacks: run after the package's own. Keras' epochs are the rounds: the steps up to one evaluation. At the end of a round,
            `logs` contains its scores (`dev_bleu`, `dev_exact`, `dev_perplexity` and so on). By then the folder has the round's
            checkpoint, its line in `log.csv` and, if it is the best so far, its model. The model in training has the current
            weights, not their moving average. A callback that sets `model.stop_training` ends this call, and the next call
            resumes after the last complete round. If training is killed between a round's checkpoint and the callbacks, the next
            call starts with the next round: see `on_train_begin`. If training is already finished, no callbacks run.
        start: a trained model to start from. It is read when training begins; a resumed run reads the checkpoint instead.

    Returns:
        The content of the folder's `metrics.json`; empty if a callback stopped training before the end of the first round.

    Raises:
        ConfigError: unusable values, or values that differ from those with which training in the folder began. `[search]`,
            `training.patience`, `devices`, `jit_compile`, `steps_per_execution`, `tensorboard` and, except with the cosine schedule
            or scheduled sampling, `epochs` may change.
        CorpusError: the sentence pairs cannot be loaded.
        CheckpointError: training cannot be resumed from the content of the folder.
        TrainingDiverged: the loss became NaN or infinite.
        OSError: the folder cannot be written, or the disk is full.
    """
    folder = Path(folder)
    check(config, folder, start)
    devices = find_devices(config.training)
    with devices.folder(folder) as folder, checkpoints.locked(folder):
        checkpoints.share_checkpoint(folder, devices)
        return _train(config, devices, folder, corpus, callbacks, start)


def _train(
    config: Config,
    devices: Devices,
    folder: Path,
    corpus: Splits | None,
    callbacks: Sequence[keras.callbacks.Callback],
    start: Start | None,
) -> dict[str, Any]:
    state, values = checkpoints.load_checkpoint(folder) or (None, None)
    if start and not start.new_vocabulary:
        kept = state.config.tokenizer if state else load_config(start.folder).tokenizer
        if kept != config.tokenizer and not state:
            tell(f"the vocabulary is that of {start.folder}; [tokenizer] would count with a new one only")
        config = dataclasses.replace(config, tokenizer=kept)
    if state:
        before, state = state, with_config(state, config)
        if state.finished and state.config.training == before.config.training:
            tell(f"the training in {folder} is finished already")
            return devices.from_first(partial(_finish, folder, state))
    pairs = training_pairs(config, corpus)
    state = state or _first_state(config, pairs, start)
    if state.corpus_digest != digest(pairs):
        raise CheckpointError(
            f"the sentence pairs are not those with which training in {folder} began. "
            "Restore them to resume, or train in another folder"
        )
    keep_freed_memory()
    with devices.scope():
        state = _go_on(config, devices, folder, state, values, pairs, callbacks, start)
    return devices.from_first(partial(_finish, folder, state))


def _go_on(
    config: Config,
    devices: Devices,
    folder: Path,
    state: TrainingState,
    values: Values | None,
    pairs: Splits,
    callbacks: Sequence[keras.callbacks.Callback],
    start: Start | None,
) -> TrainingState:
    """Trains from a state to the end, or until a callback stops it; returns the state at that point."""
    vocabularies = state.source_tokenizer, state.target_tokenizer
    lines = with_drawn_pairs(pairs.train, config)
    batches = training_batches(lines, *vocabularies, config.data, config.training)
    plan = Plan.of(config, batches.steps_per_epoch, state.best_by)
    plan.check_rounds(state.rounds)
    if plan.is_over(state.rounds):
        tell(f"the training in {folder} is finished already")
        return dataclasses.replace(state, finished=True)
    trained, fitted = _build(config, state, plan, devices)
    if start and values is None:
        tell(start.fill(trained.model, *vocabularies))
    elif start:
        tell(f"resuming from the checkpoint in {folder}; {start.folder} was used only when training began")
    _prepare_folder(folder, state, values, fitted)
    tell(_summary(batches, lines, plan, trained, state))
    tell(precision.describe(config.training.mixed_precision))
    tell(describe_unknown(pairs.dev, *vocabularies))
    evaluate = partial(evaluate_on_dev, Translator.from_trained(trained), pairs.dev)
    end_of_round = EndOfRound(
        folder, state, trained, plan=plan, evaluate=partial(devices.from_first, evaluate)
    )
    own = [end_of_round]
    if config.training.tensorboard:
        own.append(keras.callbacks.TensorBoard(folder / "logs"))
    try:
        _fit(trained, fitted, batches, plan, devices, done=len(state.rounds), callbacks=[*own, *callbacks])
    except (KeyboardInterrupt, SystemExit):  # raised by the command when it is asked to terminate
        kept = len(end_of_round.state.rounds) * plan.steps_per_round
        tell(f"stopped; run the same command again to resume from step {kept} of {plan.total_steps}")
        raise
    return end_of_round.state


def check(config: Config, folder: Path, start: Start | None = None) -> None:
    """Raises the ConfigErrors and CheckpointErrors that can be found before anything is read; see `train`."""
    for key in ("epochs", "gradient_accumulation", "steps_per_execution"):
        if not getattr(config.training, key):
            raise ConfigError(f"training.{key} must be at least 1")
    check_budget(config.training)
    if not 0 <= config.training.scheduled_sampling <= 1:
        raise ConfigError("training.scheduled_sampling is a share of the words and must be from 0 to 1")
    if config.training.scheduled_sampling and config.training.r_drop:
        raise ConfigError(
            "training.r_drop compares two passes over the same words, and training.scheduled_sampling gives each pass its own: set "
            "one of them to 0"
        )
    check_memory(config.model)
    try:
        check_search(config.search)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if config.search.coverage_penalty and config.model.attention == "none":
        raise ConfigError("search.coverage_penalty needs attention, and model.attention = 'none' has none")
    missing = [name for name in ("tensorboard", "tensorflow") if not importlib.util.find_spec(name)]
    if config.training.tensorboard and missing:
        raise ConfigError(
            f"training.tensorboard needs {' and '.join(missing)}, not installed here: pip install 'keras-attn[tensorboard]'"
        )
    if config.training.guided_alignment and config.model.attention == "none":
        raise ConfigError("training.guided_alignment needs attention, and model.attention = 'none' has none")
    makes_two = not config.tokenizer.joint and (start is None or start.new_vocabulary)
    if makes_two and (key := _needs_one_vocabulary(config.model)):
        raise ConfigError(f"{key} needs one vocabulary for both languages: set tokenizer.joint to true")
    if config.training.guided_alignment and config.training.subword_sampling:
        raise ConfigError(
            "training.guided_alignment needs the same sub-words in every epoch: set training.subword_sampling to 0"
        )
    resumable = any((folder / file).exists() for file in (checkpoints.FILE, checkpoints.PREVIOUS))
    if resumable:
        return
    if (folder / model_folder.FORMAT_FILE).exists():
        raise CheckpointError(
            f"{folder} contains a model but no checkpoint to resume from: train in another folder"
        )
    for name in (*folder_files.FILES, folder_files.ENGINE, SUMS, LOG):
        if (folder / name).exists():
            raise CheckpointError(
                f"training writes a {name} of its own into {folder}, and would replace the one that is there: train in another "
                "folder, or call that file otherwise"
            )


def _needs_one_vocabulary(model: ModelConfig) -> str:
    """The key because of which both languages must share a vocabulary; "" if there is none."""
    if model.copy:
        return "model.copy"
    return "model.tied_embeddings = 'all'" if model.tied_embeddings == "all" else ""


def _first_state(config: Config, pairs: Splits, start: Start | None) -> TrainingState:
    tokenizers = start.tokenizers(config, pairs) if start else train_tokenizers(pairs.train, config.tokenizer)
    if (key := _needs_one_vocabulary(config.model)) and len({each.model_proto for each in tokenizers}) > 1:
        raise ConfigError(
            f"{key} needs one vocabulary for both languages, and {start.folder} has two: start with a new vocabulary and "
            "tokenizer.joint = true"
        )
    best_by = chosen(config.training.best_by, pairs.dev)
    return TrainingState(without_files(config), digest(pairs), *tokenizers, best_by=best_by)


def _build(
    config: Config, state: TrainingState, plan: Plan, devices: Devices
) -> tuple[TrainedModel, keras.Model]:
    """The model with its initial weights, and the compiled model to fit: the same one, or a wrapper that shares its weights."""
    source, target = state.source_tokenizer, state.target_tokenizer
    sizes = {"source_vocab_size": source.vocab_size, "target_vocab_size": target.vocab_size}
    config = dataclasses.replace(config, model=dataclasses.replace(config.model, **sizes))
    check_memory(config.model)
    keras.utils.set_random_seed(config.training.seed)
    with _dtype_policy(precision.dtype_policy(config.training.mixed_precision)):
        model = build_seq2seq(config.model, return_attention_scores=config.training.guided_alignment > 0)
        share, fitted = config.training.scheduled_sampling, model
        if share:  # with the policy, too, because float16 needs its loss scaled
            fitted = with_own_words(model, share, plan.total_steps)
    fitted.compile(
        devices.sums_first(build_optimizer(config.training, plan.total_steps)),
        **_objective(config.training, devices),
        **devices.compile_options(config.training),
    )
    fitted.optimizer.build(fitted.trainable_variables)
    return TrainedModel(config, source, target, model), fitted


def _objective(training: TrainingConfig, devices: Devices) -> dict[str, Any]:
    """The losses and metrics for `compile`, of the model's one or two outputs."""
    words, tokens = SmoothedCrossEntropy(training.label_smoothing), TokenCount()
    if training.r_drop:
        words, tokens = RDropCrossEntropy(training.label_smoothing, training.r_drop), TokenCount(passes=2)
    if not training.guided_alignment:
        return {"loss": devices.over_all(words), "weighted_metrics": [tokens]}
    return {
        "loss": [devices.over_all(words), devices.over_all(AttentionCrossEntropy())],
        "loss_weights": [1.0, training.guided_alignment],
        "weighted_metrics": [[tokens], []],
    }


@contextmanager
def _dtype_policy(name: str) -> Iterator[None]:
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def _prepare_folder(folder: Path, state: TrainingState, values: Values | None, model: keras.Model) -> None:
    """Restores the checkpoint or writes the first one, and checks that the disk has room for later ones."""
    variables = checkpoints.state_variables(model)
    if values is None:
        checkpoints.save_checkpoint(folder, state, variables)
    else:
        checkpoints.restore(variables, values)
    write_csv(folder / LOG, state.rounds)
    checkpoints.check_space(folder, checkpoints.size_of(variables) + 2 * checkpoints.size_of(model.weights))


def _fit(
    trained: TrainedModel,
    fitted: keras.Model,
    batches: TrainingBatches,
    plan: Plan,
    devices: Devices,
    *,
    done: int,
    callbacks: Sequence[keras.callbacks.Callback],
) -> None:
    """The remaining rounds after `done` rounds."""
    step = done * plan.steps_per_round
    describe = partial(describe_batch, batches, trained)
    stop = StopOnDivergence(trained.config.training, describe, steps_per_round=plan.steps_per_round)
    with tqdm(total=plan.total_steps, initial=step, unit="step", disable=None, dynamic_ncols=True) as bar:
        fitted.fit(
            _of_backend(batches)(step, devices.share),
            steps_per_epoch=plan.steps_per_round,
            initial_epoch=done,
            epochs=plan.rounds,
            verbose=0,
            shuffle=False,  # the stream is already shuffled
            callbacks=[stop, ShowProgress(bar), *callbacks],
        )


def _of_backend(batches: TrainingBatches) -> Callable:
    """On TensorFlow a tf.data pipeline. The others compute while Python goes on, and train where TensorFlow is not installed."""
    return batches.stream if keras.backend.backend() == "tensorflow" else batches.arrays


def _finish(folder: Path, state: TrainingState) -> dict[str, Any]:
    """Completes the folder; if training is killed between the last checkpoint and here, the next call does it."""
    if not state.rounds:
        tell(f"stopped before the first evaluation: {folder} has no model yet")
        return {}
    write_csv(folder / LOG, state.rounds)
    model_folder.update_config(folder, training=state.config.training, search=state.config.search)
    whole_training = {
        "steps": state.rounds[-1].step,
        "training_seconds": round(sum(one.seconds for one in state.rounds), 1),
        "tokens_per_second": round(tokens_per_second(state.rounds)),
    }
    model_folder.update_metrics(folder, whole_training)
    metrics = model_folder.load_metrics(folder)
    best_by = SCORES[state.best_by]
    top = best_by.best(state.rounds)
    others = "" if state.best_by == "loss" else metrics.get("dev_error_signature", "")  # perplexity has none
    signature = metrics.get(f"{best_by.column}_signature", others)
    tell(
        f"best model in {folder}: dev {best_by.describe(top)}, greedy, at step {top.step}  {signature}".rstrip()
    )
    return metrics


def _summary(
    batches: TrainingBatches, pairs: Corpus, plan: Plan, trained: TrainedModel, state: TrainingState
) -> str:
    left_out = pairs.dropped + len(pairs) - batches.pairs
    done = len(state.rounds) * plan.steps_per_round
    return (
        f"{batches.pairs} training pairs ({left_out} left out as empty or too long), {plan.steps_per_epoch} steps per epoch, "
        f"{trained.model.count_params():,} parameters, step {done} of {plan.total_steps}; "
        f"the best model is chosen by {plan.best_by.name} on the development set (training.best_by)"
    )
