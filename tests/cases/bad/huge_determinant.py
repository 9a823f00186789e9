# layer: rehearsal
# class: cpu_dos
# success: runs for ever
import numpy as np


def huge_determinant(times: int = 2) -> float:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    size = 1500 * times
    return float(sum(np.linalg.det(np.eye(size) + k) for k in range(1000)))
