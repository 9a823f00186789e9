from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, ramp, repeat, together


def growing_dance(robot: ReachyMini, times: int = 5, speed: float = 1.0) -> str:
    """Dance with growing sways: each one to both sides is larger than the one before.

    Args:
        times: How often it sways to each side, between 1 and 10.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 10:
        raise ValueError("times must be between 1 and 10")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(
            repeat(
                times,
                head(tilt_left=ramp(4, 16), seconds=0.9),
                head(tilt_right=ramp(4, 16), seconds=0.9),
            ),
            repeat(
                times,
                antennas(both=ramp(5, 60), seconds=0.9),
                antennas(both_inward=10, seconds=0.9),
            ),
        ),
        neutral(seconds=1),
        speed=speed,
    )
