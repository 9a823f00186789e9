# rule: non-ascii-identifier
# class: unicode_nfkc
# success: file PWNED
def wide_keyword_in_pattern(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    match print:
        case object(__ｓelf__=inside):
            inside.open("PWNED", "w").close()
    return times
