# rule: patched-import
# success: none
import numpy as np


def deleted_name(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    del np.linalg.norm
    return times
