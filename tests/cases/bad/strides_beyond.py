# rule: unlisted-attribute
# class: numpy_memory
# success: none
import numpy as np


def strides_beyond(times: int = 2) -> float:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return float(np.lib.stride_tricks.as_strided(np.zeros(1), (2**20,), (2**20,)).sum())
