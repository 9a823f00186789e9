# rule: forbidden-builtin
# class: indirect_getattr
# success: none
def vars_in_lambda_default(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    look = lambda thing, by=vars: by(thing)
    print(look(int))
    return times
