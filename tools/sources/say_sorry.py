from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def say_sorry(robot: ReachyMini, hold_seconds: float = 1.5) -> str:
    """Say sorry: bow slowly and deeply, stay down with drooping antennas, and come up.

    Args:
        hold_seconds: How long it stays down in seconds, between 0.5 and 6.
    """
    if not 0.5 <= hold_seconds <= 6.0:
        raise ValueError("hold_seconds must be between 0.5 and 6")
    return perform(
        robot,
        together(head(down=26, lower_mm=8, seconds=1.8), antennas(both=90, seconds=1.8)),
        wait(hold_seconds),
        neutral(seconds=2),
    )
