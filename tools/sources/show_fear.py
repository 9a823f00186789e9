from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def show_fear(robot: ReachyMini, times: int = 2, speed: float = 1.0) -> str:
    """Look scared: draw the head back and down with trembling antennas, and look to both sides.

    Args:
        times: How often it looks to each side, between 1 and 5.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 5:
        raise ValueError("times must be between 1 and 5")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(
            head(back_mm=10, lower_mm=10, up=5, seconds=0.8),
            antennas(both_inward=30, seconds=0.8),
        ),
        together(
            repeat(times, head(left=16, seconds=0.7), head(right=16, seconds=0.9)),
            repeat(
                5,
                antennas(both_inward=20, seconds=0.3),
                antennas(both_inward=30, seconds=0.3),
            ),
        ),
        head(right=0, seconds=0.6),
        wait(0.4),
        neutral(seconds=1.5),
        speed=speed,
    )
