from reachy_mini import ReachyMini
from motion import antennas, face, head, neutral, perform, together, wait, when


def turn_shy_at_face(robot: ReachyMini, wait_seconds: float = 15.0) -> str:
    """Turn away shyly when a face comes into view, and peek back after a moment.

    Args:
        wait_seconds: How long it waits for a face in seconds, between 2 and 60.
    """
    if not 2.0 <= wait_seconds <= 60.0:
        raise ValueError("wait_seconds must be between 2 and 60")
    return perform(
        robot,
        when(
            face(),
            together(head(right=28, down=14, seconds=1.4), antennas(both=70, seconds=1.4)),
            wait(1.2),
            head(right=8, down=6, seconds=1.2),
            wait(1),
            neutral(seconds=1.2),
            within=wait_seconds,
        ),
    )
