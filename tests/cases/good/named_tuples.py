from collections import namedtuple
from typing import NamedTuple

Pair = namedtuple("Pair", "left right")


class Point(NamedTuple):
    """A place."""

    x: float
    y: float


def named_tuples(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    point = Point(1.0, 2.0)
    print(point._replace(x=3.0)._asdict(), Pair(1, 2))
    return times
