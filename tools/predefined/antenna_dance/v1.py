from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def antenna_dance(robot: ReachyMini, times: int = 4, speed: float = 1.0) -> str:
    """Dance with the antennas: they swing out in turn while the head nods along.

    Args:
        times: How often each antenna swings, between 1 and 12.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 12:
        raise ValueError("times must be between 1 and 12")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(
            repeat(
                times,
                antennas(left=50, right_inward=10, seconds=0.5),
                antennas(left_inward=10, right=50, seconds=0.5),
            ),
            repeat(times, head(down=9, seconds=0.5), head(down=0, seconds=0.5)),
        ),
        wait(0.2),
        neutral(seconds=0.8),
        speed=speed,
    )
