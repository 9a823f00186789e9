# rule: unsupported-type
def quoted_code(values: "print(1)") -> int:
    """Count."""
    return 1
