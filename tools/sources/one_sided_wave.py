from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, wait


def one_sided_wave(robot: ReachyMini, times: int = 3, speed: float = 1.0) -> str:
    """Wave hi with the right antenna while the head tilts to the same side.

    Args:
        times: How often the antenna waves, between 1 and 8.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 8:
        raise ValueError("times must be between 1 and 8")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        head(tilt_right=12, up=5, seconds=0.7),
        repeat(times, antennas(right=50, seconds=0.5), antennas(right=0, seconds=0.5)),
        wait(0.2),
        neutral(seconds=0.9),
        speed=speed,
    )
