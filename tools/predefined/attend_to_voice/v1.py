from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, voice, wait, whenever


def attend_to_voice(robot: ReachyMini, listen_seconds: float = 15.0) -> str:
    """Attend to somebody who speaks: tilt the head, raise it a little and open the antennas, then relax.

    Args:
        listen_seconds: How long it listens in seconds, between 5 and 60.
    """
    if not 5.0 <= listen_seconds <= 60.0:
        raise ValueError("listen_seconds must be between 5 and 60")
    return perform(
        robot,
        whenever(
            voice(),
            together(
                head(tilt_left=14, rise_mm=6, seconds=0.8),
                antennas(both=25, seconds=0.8),
            ),
            wait(1.5),
            neutral(seconds=1),
            seconds=listen_seconds,
        ),
    )
