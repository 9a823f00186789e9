from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def beckon(robot: ReachyMini, times: int = 3, speed: float = 1.0) -> str:
    """Beckon somebody to come nearer: lean forward and sweep both antennas inward again and again.

    Args:
        times: How often it beckons, between 1 and 8.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 8:
        raise ValueError("times must be between 1 and 8")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(head(forward_mm=10, down=6, seconds=0.8), antennas(both=45, seconds=0.8)),
        repeat(times, antennas(both_inward=20, seconds=0.55), antennas(both=45, seconds=0.55)),
        wait(0.2),
        neutral(seconds=1),
        speed=speed,
    )
