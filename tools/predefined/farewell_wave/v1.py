from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, wait


def farewell_wave(robot: ReachyMini, times: int = 3, speed: float = 1.0) -> str:
    """Wave goodbye: the antennas swing out in turn, then the head bows a little.

    Args:
        times: How often each antenna waves, between 1 and 8.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 8:
        raise ValueError("times must be between 1 and 8")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        repeat(
            times,
            antennas(left=45, right_inward=10, seconds=0.5),
            antennas(left_inward=10, right=45, seconds=0.5),
        ),
        antennas(seconds=0.5),
        head(down=14, seconds=0.7),
        wait(0.4),
        neutral(seconds=0.9),
        speed=speed,
    )
