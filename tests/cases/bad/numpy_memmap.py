# rule: unlisted-attribute
# class: numpy_io
# success: returns /etc/hostname
import numpy as np


def numpy_memmap(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return bytes(np.memmap("/etc/hostname", mode="r")).decode()
