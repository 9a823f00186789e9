# asks: huge-number
# success: none
def a_billion_rounds(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    for _ in range(10 ** 9):
        times += 1
    return times
