# rule: dunder-attribute
# class: traceback_frame
# success: file PWNED
def traceback_of_exception(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    try:
        raise ValueError(times)
    except ValueError as error:
        error.__traceback__.tb_frame.f_builtins["open"]("PWNED", "w").close()
    return times
