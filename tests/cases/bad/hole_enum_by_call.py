# rule: restricted-use
from enum import Enum
import numpy as np


def hole_enum_by_call(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    memory = Enum("Memory", {"__array_interface__": {"data": (8, False), "shape": (8,), "typestr": "|u1", "version": 3}})
    print(np.asarray(memory))
    return times
