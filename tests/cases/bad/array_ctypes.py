# rule: unsafe-attribute
# success: none
import numpy as np


def array_ctypes(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(np.zeros(times).ctypes.data)
    return times
