# rule: dunder-attribute
# success: none
def globals_of_decorated(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print((lambda: 0).__globals__)
    return times
