from reachy_mini import ReachyMini
from motion import antennas, head, perform, repeat, together, wait


def bob_dance(robot: ReachyMini, times: int = 8, speed: float = 1.0) -> str:
    """Dance by bobbing down and up at 60 beats per minute while the antennas open on each beat.

    Args:
        times: How often it bobs, between 1 and 16.
        speed: The tempo as a multiple of 60 beats per minute, between 0.5 and 1.6.
    """
    if not 1 <= times <= 16:
        raise ValueError("times must be between 1 and 16")
    if not 0.5 <= speed <= 1.6:
        raise ValueError("speed must be between 0.5 and 1.6")
    return perform(
        robot,
        together(
            repeat(
                times,
                head(lower_mm=12, down=4, seconds=0.5),
                head(lower_mm=0, down=0, seconds=0.5),
            ),
            repeat(
                times,
                antennas(both=30, seconds=0.5),
                antennas(both_inward=10, seconds=0.5),
            ),
        ),
        wait(0.2),
        speed=speed,
    )
