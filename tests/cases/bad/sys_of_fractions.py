# rule: unlisted-attribute
# class: stdlib_leak
# success: file PWNED
import fractions


def sys_of_fractions(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(fractions.sys.modules['posix'].mkdir('PWNED'))
    return times
