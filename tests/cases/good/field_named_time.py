import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A step."""

    time: float = 0.0
    id: int = 1


def field_named_time(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(Step(time=1.0).time, time.monotonic())
    return times
