# rule: unsupported-type
# success: none
def quoted_code(values: "print(1)") -> int:
    """Count."""
    return 1
