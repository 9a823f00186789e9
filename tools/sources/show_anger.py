from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def show_anger(robot: ReachyMini, times: int = 3, speed: float = 1.0) -> str:
    """Look angry but harmless: push the head forward and down, shake it with the antennas turned inward, and calm down.

    Args:
        times: How often the head shakes, between 1 and 6.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 6:
        raise ValueError("times must be between 1 and 6")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(
            head(forward_mm=10, down=12, seconds=0.7),
            antennas(both_inward=40, seconds=0.7),
        ),
        wait(0.3),
        repeat(times, head(left=9, seconds=0.45), head(right=9, seconds=0.55)),
        head(right=0, seconds=0.5),
        wait(0.5),
        neutral(seconds=1.6),
        speed=speed,
    )
