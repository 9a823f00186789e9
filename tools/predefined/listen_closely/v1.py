from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def listen_closely(robot: ReachyMini, listen_seconds: float = 1.2) -> str:
    """Listen: turn and tilt the head to the left with that antenna out, then listen on the right.

    Args:
        listen_seconds: How long it listens on each side in seconds, between 0.5 and 6.
    """
    if not 0.5 <= listen_seconds <= 6.0:
        raise ValueError("listen_seconds must be between 0.5 and 6")
    return perform(
        robot,
        together(head(left=18, tilt_left=12, seconds=1.1), antennas(left=60, seconds=1.1)),
        wait(listen_seconds),
        together(
            head(right=18, tilt_right=12, seconds=1.8),
            antennas(left_inward=10, right=60, seconds=1.5),
        ),
        wait(listen_seconds),
        neutral(seconds=1.2),
    )
