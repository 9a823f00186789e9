from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, tilted, together, wait, whenever


def hold_on_when_tilted(robot: ReachyMini, watch_seconds: float = 15.0) -> str:
    """Hold on when the robot is tilted: duck the head with the antennas turned inward until it is level again.

    Args:
        watch_seconds: How long it watches in seconds, between 5 and 60.
    """
    if not 5.0 <= watch_seconds <= 60.0:
        raise ValueError("watch_seconds must be between 5 and 60")
    return perform(
        robot,
        whenever(
            tilted(),
            together(
                head(lower_mm=14, down=6, seconds=0.8),
                antennas(both_inward=45, seconds=0.8),
            ),
            wait(1.2),
            neutral(seconds=1.5),
            wait(1),
            seconds=watch_seconds,
        ),
    )
