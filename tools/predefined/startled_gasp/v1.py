from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def startled_gasp(robot: ReachyMini, hold_seconds: float = 1.2) -> str:
    """Look surprised: draw the head back and up while both antennas spring out, and hold it.

    Args:
        hold_seconds: How long it is held in seconds, between 0.5 and 6.
    """
    if not 0.5 <= hold_seconds <= 6.0:
        raise ValueError("hold_seconds must be between 0.5 and 6")
    return perform(
        robot,
        together(
            head(up=13, back_mm=9, rise_mm=8, seconds=0.6),
            antennas(both=75, seconds=0.6),
        ),
        wait(hold_seconds),
        neutral(seconds=1.3),
    )
