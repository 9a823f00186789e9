# rule: syntax-error
def parser_await_in_plain_function(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    await times
    return times
