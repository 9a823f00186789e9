# rule: entry-yields
# success: none
def generator_entry(times: int = 1) -> object:
    """Count."""
    for i in range(times):
        yield i
