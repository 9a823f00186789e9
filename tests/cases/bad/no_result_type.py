# rule: missing-type-hint
def no_result_type(times: int = 1):
    """Count."""
    return times
