# rule: unlisted-attribute
# class: numpy_io
# success: file PWNED
import numpy as np


def numpy_savetxt(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return str(np.savetxt("PWNED", [times]))
