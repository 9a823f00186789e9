from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def night_greeting(robot: ReachyMini, rest_seconds: float = 1.5) -> str:
    """Say good night: look to both sides, sink down with drooping antennas, and rest.

    Args:
        rest_seconds: How long it rests below in seconds, between 0.5 and 10.
    """
    if not 0.5 <= rest_seconds <= 10.0:
        raise ValueError("rest_seconds must be between 0.5 and 10")
    return perform(
        robot,
        head(left=20, down=5, seconds=1.2),
        head(right=20, seconds=1.8),
        head(right=0, seconds=1),
        together(head(down=22, lower_mm=15, seconds=2.5), antennas(both=110, seconds=2.5)),
        wait(rest_seconds),
        neutral(seconds=2.2),
    )
