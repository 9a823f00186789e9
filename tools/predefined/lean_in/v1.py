from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def lean_in(robot: ReachyMini, hold_seconds: float = 1.5) -> str:
    """Lean in to see better: move the head forward and a little down, hold it, and lean back.

    Args:
        hold_seconds: How long it stays there in seconds, between 0.5 and 10.
    """
    if not 0.5 <= hold_seconds <= 10.0:
        raise ValueError("hold_seconds must be between 0.5 and 10")
    return perform(
        robot,
        together(head(forward_mm=14, down=8, seconds=1.1), antennas(both=15, seconds=0.9)),
        wait(hold_seconds),
        neutral(seconds=1.2),
    )
