# rule: missing-docstring
def no_docstring(times: int = 1) -> int:
    return times
