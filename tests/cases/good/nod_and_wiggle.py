from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def nod_and_wiggle(robot: ReachyMini, times: int = 3, speed: float = 1.0) -> str:
    """Nod while the antennas wiggle.

    Args:
        times: How often the head nods, between 1 and 10.
        speed: The tempo, between 0.5 and 2.
    """
    if not 1 <= times <= 10:
        raise ValueError("times must be between 1 and 10")
    if not 0.5 <= speed <= 2.0:
        raise ValueError("speed must be between 0.5 and 2")
    return perform(
        robot,
        together(
            repeat(times, head(down=15, seconds=0.4), head(down=0, seconds=0.4)),
            repeat(3, antennas(left=30, right=30), antennas(left=0, right=0)),
        ),
        wait(0.5),
        neutral(),
        speed=speed,
    )
