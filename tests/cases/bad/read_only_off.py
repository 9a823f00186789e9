# rule: unsafe-attribute
# class: numpy_memory
# success: none
import numpy as np


def read_only_off(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    frozen = np.broadcast_to(np.zeros(1), (4,))
    frozen.setflags(write=True)
    return len(frozen)
