# rule: unlisted-attribute
# success: none
import numpy as np


def numpy_stride_tricks(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(np.lib.stride_tricks.as_strided(np.zeros(3), (9,)))
    return times
