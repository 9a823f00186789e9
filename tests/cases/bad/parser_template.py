# rule: newer-syntax
def parser_template(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(t"{times}")
    return times
