import numpy as np
from numpy.linalg import norm

ROTATION = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
ANGLES = np.deg2rad([0, 90]).tolist()


def linear_algebra(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    rng = np.random.default_rng(times)
    matrix = rng.normal(size=(3, 3)) @ ROTATION
    print(np.linalg.norm(matrix, axis=0).round(3).tolist(), norm(matrix))
    return times
