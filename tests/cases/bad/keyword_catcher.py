# rule: unsupported-parameter
# success: none
def keyword_catcher(**options: int) -> int:
    """Count."""
    return 1
