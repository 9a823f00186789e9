from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def short_nap(robot: ReachyMini, times: int = 2) -> str:
    """Doze off: sink down with drooping antennas, breathe slowly there, and wake up again.

    Args:
        times: How many breaths it takes asleep, between 1 and 6.
    """
    if not 1 <= times <= 6:
        raise ValueError("times must be between 1 and 6")
    return perform(
        robot,
        together(head(down=20, lower_mm=14, seconds=3), antennas(both=100, seconds=3)),
        repeat(times, head(lower_mm=8, seconds=1.8), head(lower_mm=14, seconds=1.8)),
        wait(0.4),
        neutral(seconds=1.8),
    )
