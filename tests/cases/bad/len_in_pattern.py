# rule: builtin-rebound
# success: none
def len_in_pattern(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    match times:
        case len:
            print(len)
    return times
