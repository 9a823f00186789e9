from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together


def joyful_sway(robot: ReachyMini, times: int = 3, speed: float = 1.0) -> str:
    """Look happy: lift the head and sway while both antennas swing out and in.

    Args:
        times: How often it sways to each side, between 1 and 8.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 8:
        raise ValueError("times must be between 1 and 8")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        head(up=8, rise_mm=6, seconds=0.6),
        together(
            repeat(times, head(tilt_left=10, seconds=0.6), head(tilt_right=10, seconds=0.6)),
            repeat(
                times,
                antennas(both=45, seconds=0.6),
                antennas(both_inward=10, seconds=0.6),
            ),
        ),
        neutral(seconds=0.9),
        speed=speed,
    )
