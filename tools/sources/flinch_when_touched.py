from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, touch, wait, whenever


def flinch_when_touched(robot: ReachyMini, watch_seconds: float = 15.0) -> str:
    """Flinch at a touch of the head: draw it back with the antennas turned inward, then relax.

    Args:
        watch_seconds: How long it watches in seconds, between 5 and 60.
    """
    if not 5.0 <= watch_seconds <= 60.0:
        raise ValueError("watch_seconds must be between 5 and 60")
    return perform(
        robot,
        whenever(
            touch(),
            together(
                head(back_mm=10, lower_mm=8, seconds=0.6),
                antennas(both_inward=40, seconds=0.6),
            ),
            wait(0.8),
            neutral(seconds=1.4),
            wait(1),
            seconds=watch_seconds,
        ),
    )
