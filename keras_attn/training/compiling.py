"""How long the compiler has worked: JAX compiles a step anew for every shape of batch, which takes longer than the first steps."""

import dataclasses
import functools

import keras

_EVENT = "/jax/core/compile/backend_compile_duration"


@dataclasses.dataclass
class CompileClock:
    """Attributes: programs compiled since the clock was made, and the seconds that took. Only JAX tells."""

    programs: int = 0
    seconds: float = 0.0

    def note(self, event: str, seconds: float, **_: str | int) -> None:
        """What JAX calls with everything that it has measured."""
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
