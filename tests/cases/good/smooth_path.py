from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def _catmull_rom(points: npt.NDArray[np.float64], samples: int) -> Iterator[npt.NDArray[np.float64]]:
    padded = np.vstack([points[0], points, points[-1]])
    for i in range(1, len(padded) - 2):
        p0, p1, p2, p3 = padded[i - 1], padded[i], padded[i + 1], padded[i + 2]
        for t in np.linspace(0.0, 1.0, samples, endpoint=False):
            yield 0.5 * (
                2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2 + (3 * p1 - p0 - 3 * p2 + p3) * t**3
            )
    yield points[-1]


def smooth_path(robot: ReachyMini, samples: int = 15) -> int:
    """Follow a smooth path through four places with the head.

    Args:
        samples: Points between two places.

    Returns:
        How many targets were set.
    """
    import time

    places = np.array([[0.0, 0.0], [12.0, 8.0], [-10.0, 5.0], [0.0, 0.0]])
    count = 0
    for yaw, pitch in _catmull_rom(places, samples):
        robot.set_target(head=create_head_pose(yaw=float(yaw), pitch=float(pitch)))
        time.sleep(0.04)
        count += 1
    return count
