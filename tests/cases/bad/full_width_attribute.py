# rule: non-ascii-identifier
# success: none
def full_width_attribute(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(times.ｒeal)
    return times
