# rule: syntax-error
def parser_print_statement(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print times
    return times
