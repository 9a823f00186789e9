from reachy_mini import ReachyMini
from motion import antennas, clap, head, neutral, perform, together, wait, whenever


def bow_to_applause(robot: ReachyMini, listen_seconds: float = 15.0) -> str:
    """Bow to each clap, with the antennas opened wide, and rise again.

    Args:
        listen_seconds: How long it listens in seconds, between 5 and 60.
    """
    if not 5.0 <= listen_seconds <= 60.0:
        raise ValueError("listen_seconds must be between 5 and 60")
    return perform(
        robot,
        whenever(
            clap(),
            together(head(down=22, seconds=1), antennas(both=45, seconds=1)),
            wait(0.5),
            neutral(seconds=1.2),
            seconds=listen_seconds,
        ),
    )
