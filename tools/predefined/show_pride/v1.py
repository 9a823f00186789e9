from reachy_mini import ReachyMini
from motion import antennas, body, head, neutral, perform, together, wait


def show_pride(robot: ReachyMini, speed: float = 1.0) -> str:
    """Look proud: raise the head high and turn the body slowly to both sides, as if to be seen.

    Args:
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(head(up=11, rise_mm=10, seconds=1.2), antennas(both=25, seconds=1.2)),
        wait(0.3),
        body(left=20, seconds=1.2),
        wait(0.3),
        body(right=20, seconds=2),
        wait(0.3),
        body(seconds=1.2),
        neutral(seconds=1.2),
        speed=speed,
    )
