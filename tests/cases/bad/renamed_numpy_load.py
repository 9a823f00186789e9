# rule: unlisted-attribute
# success: none
import numpy as n


def renamed_numpy_load(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(n.load("x.npy", allow_pickle=True))
    return times
