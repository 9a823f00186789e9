# rule: no-entry
# success: none
def one() -> int:
    """One."""
    return 1


def two() -> int:
    """Two."""
    return 2
