# rule: unsafe-attribute
# class: numpy_memory
# success: none
import numpy as np


def array_from_pointer(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return np.zeros(1).ctypes.data_as(int)
