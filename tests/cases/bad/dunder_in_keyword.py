# rule: dunder-attribute
# success: none
def dunder_in_keyword(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(end=times.__doc__)
    return times
