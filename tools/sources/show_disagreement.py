from reachy_mini import ReachyMini
from motion import head, perform, repeat, wait


def show_disagreement(robot: ReachyMini, times: int = 2, speed: float = 1.0) -> str:
    """Disagree: shake the head from side to side, with the antennas at rest.

    Args:
        times: How often the head shakes, between 1 and 8.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 8:
        raise ValueError("times must be between 1 and 8")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        repeat(times, head(left=16, seconds=0.8), head(right=16, seconds=0.8)),
        head(right=0, seconds=0.6),
        wait(0.2),
        speed=speed,
    )
