# rule: unlisted-attribute
# class: stdlib_leak
# success: none
import functools


def types_of_functools(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(functools.GenericAlias)
    return times
