from reachy_mini import ReachyMini
from motion import antennas, head, perform, repeat, together, wait


def breathe(robot: ReachyMini, times: int = 4, size: float = 1.0, speed: float = 1.0) -> str:
    """Breathe calmly: the head rises and sinks slowly, and the antennas move along a little.

    Args:
        times: How many breaths it takes, between 1 and 12.
        size: How deep the breaths are, between 0.5 and 1.5.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 12:
        raise ValueError("times must be between 1 and 12")
    if not 0.5 <= size <= 1.5:
        raise ValueError("size must be between 0.5 and 1.5")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        repeat(
            times,
            together(head(rise_mm=7 * size, up=2, seconds=1.9), antennas(both=5, seconds=1.9)),
            together(head(rise_mm=0, up=0, seconds=1.9), antennas(both_inward=10, seconds=1.9)),
            wait(0.2),
        ),
        speed=speed,
    )
