# rule: unlisted-attribute
# success: none
import typing


def type_hints_evaluate(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(typing.get_type_hints(update))
    return times
