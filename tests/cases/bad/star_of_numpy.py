# rule: star-import
# success: none
from numpy import *


def star_of_numpy(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(times)
    return times
