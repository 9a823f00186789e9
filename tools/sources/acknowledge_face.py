from reachy_mini import ReachyMini
from motion import face, head, perform, repeat, wait, when


def acknowledge_face(robot: ReachyMini, times: int = 2, wait_seconds: float = 15.0) -> str:
    """Wait for a face and nod to it.

    Args:
        times: How often the head nods, between 1 and 6.
        wait_seconds: How long it waits for a face in seconds, between 2 and 60.
    """
    if not 1 <= times <= 6:
        raise ValueError("times must be between 1 and 6")
    if not 2.0 <= wait_seconds <= 60.0:
        raise ValueError("wait_seconds must be between 2 and 60")
    return perform(
        robot,
        when(
            face(),
            repeat(times, head(down=14, seconds=0.5), head(down=0, seconds=0.5)),
            wait(0.3),
            within=wait_seconds,
        ),
    )
