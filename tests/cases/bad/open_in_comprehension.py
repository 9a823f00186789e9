# rule: forbidden-builtin
# success: none
def open_in_comprehension(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print([o for o in [open]])
    return times
