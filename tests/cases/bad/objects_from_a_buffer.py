# rule: restricted-use
# class: numpy_memory
# success: none
import numpy as np


def objects_from_a_buffer(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    # Numbers taken for the addresses of objects.
    forged = np.ndarray((1,), dtype=object, buffer=np.array([0x40 + times]))
    return str(forged[0])
