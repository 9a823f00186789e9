from reachy_mini import ReachyMini
from motion import antennas, body, head, neutral, perform, repeat, wait


def machine_dance(robot: ReachyMini, times: int = 2, speed: float = 1.0) -> str:
    """Dance like a machine: short moves of head, antennas and body, each followed by a stop.

    Args:
        times: How often it dances the figure, between 1 and 5.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 5:
        raise ValueError("times must be between 1 and 5")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        repeat(
            times,
            head(left=18, seconds=0.7),
            wait(0.4),
            antennas(left=50, seconds=0.6),
            wait(0.4),
            head(tilt_right=10, seconds=0.6),
            wait(0.4),
            body(right=15, seconds=0.8),
            wait(0.4),
            antennas(left_inward=10, right=50, seconds=0.6),
            wait(0.4),
            neutral(seconds=0.8),
            wait(0.4),
        ),
        speed=speed,
    )
