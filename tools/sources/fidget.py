from reachy_mini import ReachyMini
from motion import antennas, head, perform, repeat, wait


def fidget(robot: ReachyMini, times: int = 2, speed: float = 1.0) -> str:
    """Fidget: twitch one antenna after the other and shift the head a little.

    Args:
        times: How often it fidgets, between 1 and 5.
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
            antennas(left=12, seconds=0.35),
            antennas(left_inward=10, seconds=0.35),
            wait(0.6),
            antennas(right=12, seconds=0.35),
            antennas(right_inward=10, seconds=0.35),
            wait(0.4),
            head(tilt_right=6, side_right_mm=4, seconds=0.7),
            wait(0.5),
            head(seconds=0.7),
            wait(0.5),
        ),
        speed=speed,
    )
