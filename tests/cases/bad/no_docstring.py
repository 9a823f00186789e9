# rule: missing-docstring
# success: none
def no_docstring(times: int = 1) -> int:
    return times
