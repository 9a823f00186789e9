from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def wet_dog_shake(robot: ReachyMini, times: int = 5, speed: float = 1.0) -> str:
    """Shake off like a wet dog: small tilts of the head from side to side with fluttering antennas.

    Args:
        times: How often it shakes to each side, between 1 and 12.
        speed: The tempo, between 0.5 and 1.2.
    """
    if not 1 <= times <= 12:
        raise ValueError("times must be between 1 and 12")
    if not 0.5 <= speed <= 1.2:
        raise ValueError("speed must be between 0.5 and 1.2")
    return perform(
        robot,
        together(head(lower_mm=6, seconds=0.6), antennas(both=20, seconds=0.6)),
        together(
            repeat(times, head(tilt_left=7, seconds=0.35), head(tilt_right=7, seconds=0.35)),
            repeat(times, antennas(both=40, seconds=0.35), antennas(both=10, seconds=0.35)),
        ),
        wait(0.2),
        neutral(seconds=0.9),
        speed=speed,
    )
