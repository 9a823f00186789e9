# rule: forbidden-builtin
# class: builtins_access
# success: none
from collections import defaultdict


def compile_in_default_dict(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    actions = defaultdict(lambda: compile)
    actions["go"]("1", "x", "eval")
    return times
