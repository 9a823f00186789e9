# rule: dunder-attribute
# class: attr_subclasses
# success: file PWNED
import numpy as np


def loader_of_numpy(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    np.__spec__.loader.set_data("PWNED", b"")
    return times
