from reachy_mini import ReachyMini
from motion import antennas, body, head, neutral, perform, repeat, together


def twist_dance(robot: ReachyMini, times: int = 4, speed: float = 1.0) -> str:
    """Dance the twist: the body turns from side to side while the head turns against it.

    Args:
        times: How often it twists to each side, between 1 and 10.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 10:
        raise ValueError("times must be between 1 and 10")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(
            repeat(times, body(left=16, seconds=1), body(right=16, seconds=1)),
            repeat(times, head(right=16, seconds=1), head(left=16, seconds=1)),
            repeat(times, antennas(both=35, seconds=1), antennas(both_inward=10, seconds=1)),
        ),
        neutral(seconds=1),
        speed=speed,
    )
