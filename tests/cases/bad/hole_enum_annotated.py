# rule: restricted-use
from enum import Enum
import numpy as np
from typing import Annotated


def hole_enum_annotated(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(np.asarray(Annotated[Enum, 1]("Memory", {"__array_interface__": {"data": (8, False), "shape": (8,), "typestr": "|u1", "version": 3}})))
    return times
