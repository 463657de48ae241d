import pytest

from keras_attn.config import TrainingConfig
from keras_attn.training.divergence import StopOnDivergence, TrainingDiverged


def stopper(**training):
    describe = "what step {} holds".format
    return StopOnDivergence(TrainingConfig(**training), describe, steps_per_round=20)


@pytest.mark.parametrize("loss", [float("nan"), float("inf")])
def test_the_error_names_the_step_and_its_batch(loss):
    callback = stopper()
    callback.on_epoch_begin(2)
    callback.on_train_batch_end(0, {"loss": 7.0})
    with pytest.raises(TrainingDiverged, match=f"became {loss} in step 42, a batch of what step 41 holds"):
        callback.on_train_batch_end(1, {"loss": loss})


def test_of_steps_that_run_at_once_none_is_blamed_alone():
    callback = stopper()
    callback.on_epoch_begin(2)
    callback.on_train_batch_end(4, {"loss": 7.0})
    with pytest.raises(TrainingDiverged, match=r"in one of the steps 46 to 50, which ran at once \("):
        callback.on_train_batch_end(9, {"loss": float("nan")})


def test_advice_names_the_values_in_use():
    with pytest.raises(
        TrainingDiverged, match=r"a lower training.learning_rate \(now 0.5\), in another folder"
    ):
        stopper(learning_rate=0.5).on_train_batch_end(0, {"loss": float("nan")})


def test_advice_covers_missing_clipping_and_low_precision():
    expected = r"clip_norm = 1.0 \(now 0.0\) or training.mixed_precision = 'float32' \(now 'mixed_float16'\)"
    with pytest.raises(TrainingDiverged, match=expected):
        stopper(clip_norm=0.0, mixed_precision="mixed_float16").on_train_batch_end(0, {"loss": float("nan")})


@pytest.mark.parametrize(("clip_norm", "advised"), [(0.0, True), (0.5, False), (1.0, False), (1.5, True)])
def test_clipping_is_advised_where_there_is_none_or_a_loose_one(clip_norm, advised):
    with pytest.raises(TrainingDiverged) as error:
        stopper(clip_norm=clip_norm).on_train_batch_end(0, {"loss": float("nan")})
    assert (f"training.clip_norm = 1.0 (now {clip_norm})" in str(error.value)) == advised
    assert "mixed_precision" not in str(error.value)
