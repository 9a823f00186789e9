from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def daydream(robot: ReachyMini, times: int = 2, speed: float = 1.0) -> str:
    """Daydream: look up to the left and sway slowly, lost in thought.

    Args:
        times: How often it sways to each side, between 1 and 6.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 6:
        raise ValueError("times must be between 1 and 6")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(head(left=20, up=12, seconds=1.6), antennas(both=20, seconds=1.6)),
        repeat(times, head(tilt_left=6, seconds=1.5), head(tilt_right=6, seconds=1.8)),
        head(tilt_right=0, seconds=1),
        wait(0.5),
        neutral(seconds=1.8),
        speed=speed,
    )
