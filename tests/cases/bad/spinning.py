# rule: busy-loop
# success: none
def spinning(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    while True:
        for i in range(3):
            if i:
                break
    return times
