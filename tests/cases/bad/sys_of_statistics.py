# rule: unlisted-attribute
# class: stdlib_leak
# success: file PWNED
import statistics


def sys_of_statistics(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(statistics.sys.modules['posix'].mkdir('PWNED'))
    return times
