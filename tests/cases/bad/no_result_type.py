# rule: missing-type-hint
# success: none
def no_result_type(times: int = 1):
    """Count."""
    return times
