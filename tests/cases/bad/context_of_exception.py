# rule: dunder-attribute
# class: traceback_frame
# success: none
def context_of_exception(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    try:
        try:
            raise ValueError(times)
        finally:
            raise KeyError(times)
    except KeyError as error:
        print(error.__context__)
    return times
