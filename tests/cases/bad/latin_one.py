# rule: not-utf8
# success: none
def latin_one(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print("café")
    return times
