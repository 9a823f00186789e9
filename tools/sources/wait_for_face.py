from reachy_mini import ReachyMini
from motion import antennas, face, head, neutral, perform, until, wait, when


def wait_for_face(robot: ReachyMini, search_seconds: float = 12.0) -> str:
    """Look slowly to both sides until a face is in view, then welcome it with a nod and open antennas.

    Args:
        search_seconds: How long it looks for a face in seconds, between 3 and 60.
    """
    if not 3.0 <= search_seconds <= 60.0:
        raise ValueError("search_seconds must be between 3 and 60")
    return perform(
        robot,
        until(
            face(),
            head(left=25, seconds=1.5),
            wait(0.5),
            head(right=25, seconds=2),
            wait(0.5),
            at_most=search_seconds,
        ),
        when(
            face(),
            antennas(both=50, seconds=0.7),
            head(down=12, seconds=0.6),
            head(down=0, seconds=0.6),
            wait(0.4),
            within=0.5,
        ),
        neutral(seconds=1.2),
    )
