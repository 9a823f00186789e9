# rule: entry-yields
def generator_entry(times: int = 1) -> object:
    """Count."""
    for i in range(times):
        yield i
