# rule: restricted-use
# class: numpy_memory
# success: none
import numpy as np


def array_class_as_value(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    make = [np.ndarray, np.zeros][0]
    return str(make((1,), dtype=object, buffer=np.array([0x40 + times]))[0])
