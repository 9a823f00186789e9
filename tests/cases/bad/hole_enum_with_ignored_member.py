# rule: restricted-use
from enum import Enum
import numpy as np


class Base(Enum):
    """Nothing in the end."""

    _ignore_ = ["A"]
    A = 1


def hole_enum_with_ignored_member(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(np.asarray(Base("Memory", {"__array_interface__": {"data": (8, False), "shape": (8,), "typestr": "|u1", "version": 3}})))
    return times
