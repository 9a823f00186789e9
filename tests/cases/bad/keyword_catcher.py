# rule: unsupported-parameter
def keyword_catcher(**options: int) -> int:
    """Count."""
    return 1
