from reachy_mini import ReachyMini
from motion import head, perform, repeat, wait


def show_agreement(robot: ReachyMini, times: int = 2, speed: float = 1.0) -> str:
    """Agree: nod clearly, with the antennas at rest.

    Args:
        times: How often the head nods, between 1 and 8.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 8:
        raise ValueError("times must be between 1 and 8")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        repeat(times, head(down=15, seconds=0.5), head(down=0, seconds=0.5)),
        wait(0.2),
        speed=speed,
    )
