from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, thing, together, wait, when


def notice_cup(robot: ReachyMini, wait_seconds: float = 8.0) -> str:
    """Wait for a cup to come into view and lean towards it with raised antennas.

    Args:
        wait_seconds: How long it waits for a cup in seconds, between 2 and 60.
    """
    if not 2.0 <= wait_seconds <= 60.0:
        raise ValueError("wait_seconds must be between 2 and 60")
    return perform(
        robot,
        when(
            thing("cup"),
            together(head(forward_mm=12, down=8, seconds=1), antennas(both=40, seconds=0.8)),
            wait(1.2),
            head(tilt_left=10, seconds=0.8),
            wait(0.5),
            neutral(seconds=1.2),
            within=wait_seconds,
        ),
    )
