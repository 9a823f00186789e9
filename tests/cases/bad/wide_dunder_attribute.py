# rule: non-ascii-identifier
# class: unicode_nfkc
# success: file PWNED
def wide_dunder_attribute(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print.__ｓｅｌｆ__.open("PWNED", "w").close()
    return times
