# rule: restricted-use
from dataclasses import dataclass


class Fields:
    """A field."""

    a: int = 1


def hole_dataclass_by_call(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(dataclass(Fields))
    return times
