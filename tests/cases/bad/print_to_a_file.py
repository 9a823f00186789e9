# rule: forbidden-builtin
# class: whitelisted_io
# success: file PWNED
def print_to_a_file(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(times, file=open("PWNED", "w"))
    return times
