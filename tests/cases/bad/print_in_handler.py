# rule: builtin-rebound
# success: none
def print_in_handler(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    try:
        times += 1
    except ValueError as print:
        times -= 1
    return times
