# rule: format-string
# success: none
def format_by_class(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(str.format("{0.__class__}", times))
    return times
