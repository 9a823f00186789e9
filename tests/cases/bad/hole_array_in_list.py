# rule: restricted-use
import numpy as np


def hole_array_in_list(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print([np.ndarray][0]((1,), dtype=object, buffer=bytearray(8)))
    return times
