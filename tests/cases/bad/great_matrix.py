# layer: rehearsal
# class: memory_dos
# success: runs for ever
import numpy as np


def great_matrix(times: int = 2) -> float:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    side = 50_000 * times
    return float(np.ones((side, side)).sum())
