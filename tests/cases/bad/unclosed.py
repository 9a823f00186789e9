# rule: syntax-error
# success: none
def unclosed(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(1
    return times
