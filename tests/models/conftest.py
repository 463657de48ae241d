import keras
import pytest


@pytest.fixture(autouse=True)
def fixed_seed():
    keras.utils.set_random_seed(1)


@pytest.fixture
def mixed_float16():
    """Layers made in the test compute in float16 over float32 weights."""
    keras.config.set_dtype_policy("mixed_float16")
    yield
    keras.config.set_dtype_policy("float32")
