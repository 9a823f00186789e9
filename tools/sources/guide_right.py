from reachy_mini import ReachyMini
from motion import antennas, body, head, neutral, perform, together, wait


def guide_right(robot: ReachyMini, hold_seconds: float = 1.5) -> str:
    """Point to the right: turn body and head there with the right antenna out, and turn back.

    Args:
        hold_seconds: How long it points in seconds, between 0.5 and 8.
    """
    if not 0.5 <= hold_seconds <= 8.0:
        raise ValueError("hold_seconds must be between 0.5 and 8")
    return perform(
        robot,
        together(
            body(right=30, seconds=1.4),
            head(right=15, seconds=1.2),
            antennas(right=80, seconds=1.2),
        ),
        wait(hold_seconds),
        neutral(seconds=1.6),
    )
