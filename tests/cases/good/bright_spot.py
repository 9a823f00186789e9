import numpy as np

from reachy_mini import ReachyMini


def bright_spot(robot: ReachyMini, follow: bool = True) -> dict[str, float] | None:
    """Find the brightest place of the picture and look at it.

    Args:
        follow: Whether to look there.

    Returns:
        Where it is in the picture, or nothing without a picture.
    """
    frame = robot.media.get_frame()
    if frame is None:
        return None
    grey = frame.astype(np.float32).mean(axis=2)
    row, column = np.unravel_index(np.argmax(grey), grey.shape)
    if follow:
        side = 0.3 * (1.0 - 2.0 * column / grey.shape[1])
        robot.look_at_world(1.0, float(side), 0.0, duration=0.5)
    return {"u": float(column), "v": float(row), "brightness": float(grey[row, column])}
