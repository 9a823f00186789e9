# asks: huge-number
import numpy as np


def lint_big_array(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(np.zeros((10000, 10000)).sum())
    return times
