# rule: restricted-use
import numpy as np


class Cells(np.ndarray):
    """Cells."""


def hole_array_subclass(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(Cells((1,), dtype=object, buffer=bytearray(8)))
    return times
