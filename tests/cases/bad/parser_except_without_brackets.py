# rule: newer-syntax
def parser_except_without_brackets(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    try:
        print(times)
    except ValueError, TypeError:
        print(0)
    return times
