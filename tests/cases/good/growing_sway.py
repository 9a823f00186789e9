from motion import body, head, neutral, perform, ramp, repeat, sequence, together
from reachy_mini import ReachyMini


def growing_sway(robot: ReachyMini, size: float = 1.0) -> str:
    """Sway from side to side, each time a little further.

    Args:
        size: How far it sways, between 0.5 and 1.

    Raises:
        ValueError: If the size is out of range.
    """
    if not 0.5 <= size <= 1.0:
        raise ValueError("size must be between 0.5 and 1")
    return perform(
        robot,
        repeat(
            3,
            together(
                sequence(head(tilt_left=ramp(5 * size, 20 * size)), head(tilt_right=ramp(5 * size, 20 * size))),
                sequence(body(left=10 * size, seconds=0.8), body(right=10 * size, seconds=0.8, easing="ease_in_out")),
            ),
        ),
        neutral(),
    )
