# rule: no-entry
class Tool:
    """No function."""
