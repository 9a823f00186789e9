from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def pay_attention(robot: ReachyMini, hold_seconds: float = 2.0) -> str:
    """Pay attention: lift the head, lean forward with raised antennas, and hold still.

    Args:
        hold_seconds: How long it holds still in seconds, between 0.5 and 10.
    """
    if not 0.5 <= hold_seconds <= 10.0:
        raise ValueError("hold_seconds must be between 0.5 and 10")
    return perform(
        robot,
        together(
            head(up=6, rise_mm=8, forward_mm=8, seconds=0.9),
            antennas(both=20, seconds=0.7),
        ),
        wait(hold_seconds),
        neutral(seconds=1.1),
    )
