# rule: interpreter-attribute
def hole_error_subject(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    try:
        times.nothing()
    except AttributeError as error:
        print(error.obj)
    return times
