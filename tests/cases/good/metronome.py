import time
from contextlib import contextmanager
from typing import Iterator

from reachy_mini import ReachyMini


@contextmanager
def steady(robot: ReachyMini) -> Iterator[None]:
    robot.goto_target(antennas=[0.0, 0.0], duration=0.3)
    try:
        yield
    finally:
        robot.goto_target(antennas=[0.0, 0.0], duration=0.3)


def metronome(robot: ReachyMini, bpm: float = 90.0, beats: int = 8) -> float:
    """Tick with the antennas.

    Args:
        bpm: Beats per minute, between 40 and 160.
        beats: How many beats.

    Returns:
        The largest lateness of a beat, in milliseconds.
    """
    interval = 60.0 / bpm
    worst = 0.0
    with steady(robot):
        start = time.perf_counter()
        for beat in range(beats):
            due = start + beat * interval
            wait = due - time.perf_counter()
            if wait > 0:
                time.sleep(wait)
            worst = max(worst, time.perf_counter() - due)
            side = 0.3 if beat % 2 == 0 else -0.3
            robot.set_target(antennas=[side, side])
    return round(worst * 1000.0, 3)
