# rule: class-by-type
# class: indirect_getattr
# success: none


class Keep:
    """Keeps what stands in its brackets."""

    def __getitem__(self, kind: object) -> object:
        self.kind = kind
        return kind


def type_caught_by_own_brackets(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    keep = Keep()

    def inner(n: keep[type] = 1) -> int:
        return n

    return inner()
