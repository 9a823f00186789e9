# rule: builtin-rebound
# class: binding_target
# success: none
from contextlib import nullcontext


def with_binds_builtin(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    with nullcontext(times) as print:
        pass
    return times
