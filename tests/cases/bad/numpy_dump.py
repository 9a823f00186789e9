# rule: unsafe-attribute
# class: numpy_io
# success: file PWNED
import numpy as np


def numpy_dump(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return str(np.zeros(1).dump("PWNED"))
