# rule: no-entry
# success: none
class Tool:
    """No function."""
