import numpy as np
from reachy_mini import ReachyMini


def colour_histogram(robot: ReachyMini, bins: int = 4) -> dict[str, list[int]]:
    """Count how often colours occur in the camera's picture.

    Args:
        bins: How many steps for each channel, between 2 and 16.

    Returns:
        A histogram for blue, green and red.
    """
    frame = robot.media.get_frame()
    if frame is None:
        raise RuntimeError("the camera gave no picture")
    result = {}
    for channel, name in enumerate(("blue", "green", "red")):
        counts, _ = np.histogram(frame[:, :, channel], bins=bins, range=(0, 256))
        result[name] = counts.tolist()
    return result
