from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def salute(robot: ReachyMini, hold_seconds: float = 1.0) -> str:
    """Salute: lift the head, swing the right antenna out, hold it, and bring it back.

    Args:
        hold_seconds: How long the antenna is held in seconds, between 0.5 and 8.
    """
    if not 0.5 <= hold_seconds <= 8.0:
        raise ValueError("hold_seconds must be between 0.5 and 8")
    return perform(
        robot,
        together(head(up=6, rise_mm=5, seconds=0.6), antennas(right=55, seconds=0.6)),
        wait(hold_seconds),
        antennas(seconds=0.6),
        neutral(seconds=0.8),
    )
