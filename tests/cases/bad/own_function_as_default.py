# rule: eager-call
# success: none
def _table() -> list[int]:
    return [1]


def own_function_as_default(table: list[int] = _table()) -> int:
    """Count."""
    return len(table)
