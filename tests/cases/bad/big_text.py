# asks: huge-number
# success: none
def big_text(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print("x" * 100_000_000)
    return times
