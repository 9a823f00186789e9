# rule: non-ascii-identifier
# class: unicode_nfkc
# success: none


posix = 1


def long_s_in_global(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    global poſix
    print(poſix)
    return times
