from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def show_thought(robot: ReachyMini, think_seconds: float = 2.0) -> str:
    """Look thoughtful: look up to the right with one antenna out, think, and nod at the idea.

    Args:
        think_seconds: How long it thinks in seconds, between 0.5 and 10.
    """
    if not 0.5 <= think_seconds <= 10.0:
        raise ValueError("think_seconds must be between 0.5 and 10")
    return perform(
        robot,
        together(
            head(right=20, up=12, tilt_right=6, seconds=1.3),
            antennas(right=35, seconds=1.3),
        ),
        wait(think_seconds),
        together(head(seconds=1), antennas(both=30, seconds=0.8)),
        head(down=12, seconds=0.6),
        head(down=0, seconds=0.6),
        neutral(seconds=0.9),
    )
