# rule: non-ascii-identifier
# class: unicode_nfkc
# success: file PWNED
def script_letters_in_call(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    𝓸𝓹𝓮𝓷("PWNED", "w").close()
    return times
