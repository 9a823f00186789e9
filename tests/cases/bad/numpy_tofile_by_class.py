# rule: restricted-use
# class: numpy_io
# success: file PWNED
import numpy as np


def numpy_tofile_by_class(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return str(np.ndarray.tofile(np.zeros(1), "PWNED"))
