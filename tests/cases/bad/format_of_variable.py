# rule: format-string
# success: none
def format_of_variable(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    template = "{0." + "__class__}"
    print(template.format(times))
    return times
