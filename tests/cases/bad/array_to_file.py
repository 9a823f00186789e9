# rule: unsafe-attribute
# success: none
import numpy as np


def array_to_file(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    np.zeros(times).tofile("out.bin")
    return times
