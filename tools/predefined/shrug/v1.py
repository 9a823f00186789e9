from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def shrug(robot: ReachyMini, hold_seconds: float = 0.8) -> str:
    """Shrug: lift the head between raised antennas, tilt it, hold it, and let it sink.

    Args:
        hold_seconds: How long it stays up in seconds, between 0.3 and 5.
    """
    if not 0.3 <= hold_seconds <= 5.0:
        raise ValueError("hold_seconds must be between 0.3 and 5")
    return perform(
        robot,
        together(head(rise_mm=10, tilt_left=10, seconds=0.8), antennas(both=60, seconds=0.8)),
        wait(hold_seconds),
        neutral(seconds=1),
    )
