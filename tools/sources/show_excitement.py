from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def show_excitement(robot: ReachyMini, times: int = 4, speed: float = 1.0) -> str:
    """Look excited: bounce up and down quickly while the antennas swing out in turn.

    Args:
        times: How often it bounces, between 1 and 10.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 10:
        raise ValueError("times must be between 1 and 10")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(
            repeat(times, head(rise_mm=10, seconds=0.35), head(rise_mm=0, seconds=0.35)),
            repeat(
                times,
                antennas(left=30, right_inward=10, seconds=0.35),
                antennas(left_inward=10, right=30, seconds=0.35),
            ),
        ),
        wait(0.2),
        neutral(seconds=0.7),
        speed=speed,
    )
