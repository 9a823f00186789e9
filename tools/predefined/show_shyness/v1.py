from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def show_shyness(robot: ReachyMini, times: int = 1, speed: float = 1.0) -> str:
    """Look shy: turn the head away to the left and down with drooping antennas, peek back, and hide again.

    Args:
        times: How often it peeks back, between 1 and 4.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 4:
        raise ValueError("times must be between 1 and 4")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(head(left=32, down=16, seconds=1.6), antennas(both=80, seconds=1.6)),
        wait(0.8),
        repeat(
            times,
            head(left=8, down=6, seconds=1.2),
            wait(0.6),
            head(left=32, down=16, seconds=1),
            wait(0.6),
        ),
        neutral(seconds=2),
        speed=speed,
    )
