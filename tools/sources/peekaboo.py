from reachy_mini import ReachyMini
from motion import antennas, face, head, neutral, perform, repeat, together, wait, when


def peekaboo(robot: ReachyMini, times: int = 2, wait_seconds: float = 15.0) -> str:
    """Play peekaboo with a face: hide the head behind lowered antennas, then pop up again.

    Args:
        times: How often it hides, between 1 and 5.
        wait_seconds: How long it waits for a face in seconds, between 2 and 40.
    """
    if not 1 <= times <= 5:
        raise ValueError("times must be between 1 and 5")
    if not 2.0 <= wait_seconds <= 40.0:
        raise ValueError("wait_seconds must be between 2 and 40")
    return perform(
        robot,
        when(
            face(),
            repeat(
                times,
                together(
                    head(down=22, lower_mm=10, seconds=1),
                    antennas(both_inward=45, seconds=0.8),
                ),
                wait(1),
                together(head(down=0, rise_mm=6, seconds=0.9), antennas(both=55, seconds=0.9)),
                wait(0.6),
            ),
            neutral(seconds=1),
            within=wait_seconds,
        ),
    )
