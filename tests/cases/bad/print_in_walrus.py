# rule: builtin-rebound
# success: none
def print_in_walrus(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    if (print := times) > 1:
        times += 1
    return times
