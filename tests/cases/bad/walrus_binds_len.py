# rule: builtin-rebound
# class: binding_target
# success: none
def walrus_binds_len(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(len := times)
    return times
