# rule: dunder-name
# success: none
def builtins_by_name(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(__builtins__)
    return times
