# rule: restricted-use
from typing import TypedDict


def hole_typed_dict_by_call(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    fields = TypedDict("Fields", {"a: int = print(1) or 1, b": int})
    print(fields)
    return times
