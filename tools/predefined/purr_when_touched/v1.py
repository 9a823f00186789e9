from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, touch, wait, whenever


def purr_when_touched(robot: ReachyMini, watch_seconds: float = 15.0) -> str:
    """Enjoy a touch of the head: lean to the side and flutter the antennas gently.

    Args:
        watch_seconds: How long it watches in seconds, between 5 and 60.
    """
    if not 5.0 <= watch_seconds <= 60.0:
        raise ValueError("watch_seconds must be between 5 and 60")
    return perform(
        robot,
        whenever(
            touch(),
            head(tilt_left=12, down=5, seconds=1),
            repeat(4, antennas(both=15, seconds=0.4), antennas(both_inward=10, seconds=0.4)),
            neutral(seconds=1.2),
            wait(1),
            seconds=watch_seconds,
        ),
    )
