# rule: control-character
def parser_surrogate(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print("\ud800")
    return times
