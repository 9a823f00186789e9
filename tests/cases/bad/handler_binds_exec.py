# rule: forbidden-builtin
# class: binding_target
# success: none
def handler_binds_exec(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    try:
        raise ValueError(times)
    except ValueError as exec:
        pass
    return times
