"""Measures compilation time: JAX compiles a step for every batch shape, which takes longer than the first steps."""

import dataclasses
import functools

import keras

_EVENT = "/jax/core/compile/backend_compile_duration"


@dataclasses.dataclass
class CompileClock:
    """Attributes: the number of programs compiled since the clock was made, and the seconds this took. Only JAX reports it."""

    programs: int = 0
    seconds: float = 0.0

    def note(self, event: str, seconds: float, **_: str | int) -> None:
        """JAX calls this with everything that it measures."""
        if event == _EVENT:
            self.programs += 1
            self.seconds += seconds


@functools.cache
def compile_clock() -> CompileClock:
    """The clock of this process."""
    clock = CompileClock()
    if keras.backend.backend() == "jax":
        import jax

        jax.monitoring.register_event_duration_secs_listener(clock.note)
    return clock
