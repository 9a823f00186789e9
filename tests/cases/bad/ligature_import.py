# rule: non-ascii-identifier
# class: unicode_nfkc
# success: none


shelﬁ = 1


def ligature_import(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(shelﬁ)
    return times
