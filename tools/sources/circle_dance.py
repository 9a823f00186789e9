from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, sequence, together


def circle_dance(robot: ReachyMini, times: int = 3, speed: float = 1.0) -> str:
    """Dance in circles: the head leans round in a circle while the antennas swing along.

    Args:
        times: How many circles the head makes, between 1 and 8.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 8:
        raise ValueError("times must be between 1 and 8")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(
            repeat(times, head(down=10, seconds=1), head(up=10, seconds=1)),
            sequence(
                head(tilt_left=10, seconds=0.5),
                repeat(times, head(tilt_right=10, seconds=1), head(tilt_left=10, seconds=1)),
            ),
            repeat(times, antennas(both=30, seconds=1), antennas(both_inward=10, seconds=1)),
        ),
        neutral(seconds=1),
        speed=speed,
    )
