# rule: newer-syntax
def parser_same_quotes(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(f"{"x" * times}")
    return times
