# rule: unlisted-import
# success: none
from dataclasses import make_dataclass


def make_dataclass_import(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(make_dataclass("A", []))
    return times
