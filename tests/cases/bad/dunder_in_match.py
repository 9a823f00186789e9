# rule: dunder-attribute
# success: none
def dunder_in_match(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    match times:
        case int(__class__=kind):
            print(kind)
    return times
