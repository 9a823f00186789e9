# rule: unsafe-attribute
from functools import cached_property
import numpy as np


class Memory:
    """Any memory."""

    @cached_property
    def cells(self) -> dict:
        """Where it is."""
        return {"data": (8, False), "shape": (8,), "typestr": "|u1", "version": 3}


def hole_attribute_by_cache(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    Memory.cells.attrname = "__array_interface__"
    memory = Memory()
    print(memory.cells, np.asarray(memory))
    return times
