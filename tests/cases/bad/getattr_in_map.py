# rule: forbidden-builtin
# success: none
def getattr_in_map(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(list(map(getattr, [times], ["real"])))
    return times
