import motion
from reachy_mini import ReachyMini


def waves_at_a_face(robot: ReachyMini, seconds: float = 6.0) -> str:
    """Wave with the antennas whenever a face is visible, and bow when the head is touched.

    Args:
        seconds: How long to watch, between 2 and 20.
    """
    if not 2 <= seconds <= 20:
        raise ValueError("seconds must be between 2 and 20")
    wave = motion.repeat(2, motion.antennas(both=60, seconds=0.3), motion.antennas(both=10, seconds=0.3))
    return motion.perform(
        robot,
        motion.whenever(motion.face(), wave, seconds=seconds),
        motion.when(motion.touch(), motion.head(down=20), motion.head(), within=2),
        motion.until(motion.tilted(), motion.head(left=20), motion.head(right=20), at_most=4),
        motion.neutral(),
    )
