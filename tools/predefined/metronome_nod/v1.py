from motion import head, neutral, perform, repeat
from reachy_mini import ReachyMini


def metronome_nod(robot: ReachyMini, beats_per_minute: float = 60.0, beats: int = 8) -> str:
    """Nod to a tempo in beats per minute, one nod on each beat.

    Args:
        robot: The robot.
        beats_per_minute: The tempo, between 40 and 110.
        beats: How many beats, between 2 and 40.

    Returns:
        What was done.

    Raises:
        ValueError: If an argument is out of range.
    """
    if not 40.0 <= beats_per_minute <= 110.0:
        raise ValueError("beats_per_minute must be between 40 and 110")
    if not 2 <= beats <= 40:
        raise ValueError("beats must be between 2 and 40")
    half = 30.0 / beats_per_minute
    return perform(
        robot,
        repeat(beats, head(down=9, seconds=half), head(down=0, seconds=half)),
        neutral(),
    )
