# rule: restricted-use
from enum import Enum
import numpy as np
from functools import partial


def hole_enum_in_partial(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    make = partial(Enum, "Memory")
    print(np.asarray(make({"__array_interface__": {"data": (8, False), "shape": (8,), "typestr": "|u1", "version": 3}})))
    return times
