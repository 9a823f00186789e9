# asks: swallowed-exception
# success: none
def catches_all(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    try:
        times += 1
    except:
        pass
    return times
