from motion import Step, antennas, head, perform, play, repeat, sequence, sound
from reachy_mini import ReachyMini

BOW = sequence(head(down=25, lower_mm=10), head())


def _flap(times: int) -> Step:
    return repeat(times, antennas(both=80, seconds=0.3), antennas(both=20, seconds=0.3))


def shared_steps(robot: ReachyMini, times: int = 2) -> str:
    """Wake up, flap with the antennas and bow.

    Args:
        times: How often the antennas flap, between 1 and 5.
    """
    if not 1 <= times <= 5:
        raise ValueError("times must be between 1 and 5")
    return perform(robot, play("wake_up"), sound("wake_up.wav"), _flap(times), BOW)
