from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, wait


def morning_greeting(robot: ReachyMini, speed: float = 1.0) -> str:
    """Say good morning: stretch upwards, shake the antennas awake, and look to both sides.

    Args:
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        head(up=12, rise_mm=14, seconds=1.5),
        wait(0.4),
        repeat(3, antennas(both=30, seconds=0.4), antennas(both_inward=10, seconds=0.4)),
        head(left=25, up=0, rise_mm=0, seconds=1.3),
        wait(0.3),
        head(right=25, seconds=1.8),
        wait(0.3),
        neutral(seconds=1.2),
        speed=speed,
    )
