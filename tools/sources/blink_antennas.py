from reachy_mini import ReachyMini
from motion import antennas, perform, repeat, wait


def blink_antennas(robot: ReachyMini, times: int = 2, speed: float = 1.0) -> str:
    """Blink with the antennas: both lean out and come back at once, with the head still.

    Args:
        times: How often they blink, between 1 and 10.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 10:
        raise ValueError("times must be between 1 and 10")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        repeat(
            times,
            antennas(both=30, seconds=0.4),
            antennas(both_inward=10, seconds=0.4),
            wait(0.5),
        ),
        speed=speed,
    )
