from reachy_mini import ReachyMini
from motion import antennas, face, head, neutral, perform, together, wait, whenever


def welcome_faces(robot: ReachyMini, watch_seconds: float = 15.0) -> str:
    """Greet each face that comes into view: tilt the head and open the antennas.

    Args:
        watch_seconds: How long it watches in seconds, between 5 and 60.
    """
    if not 5.0 <= watch_seconds <= 60.0:
        raise ValueError("watch_seconds must be between 5 and 60")
    return perform(
        robot,
        whenever(
            face(),
            together(head(tilt_left=10, up=4, seconds=0.7), antennas(both=50, seconds=0.7)),
            wait(0.6),
            neutral(seconds=0.9),
            wait(2),
            seconds=watch_seconds,
        ),
    )
