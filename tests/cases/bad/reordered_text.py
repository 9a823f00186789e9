# rule: bidirectional-control
# success: none
def reordered_text(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print("a‮b")
    return times
