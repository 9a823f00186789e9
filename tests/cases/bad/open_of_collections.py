# rule: private-attribute
# class: stdlib_leak
# success: file PWNED
import collections


def open_of_collections(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(collections._sys.modules['io'].open('PWNED', 'w'))
    return times
