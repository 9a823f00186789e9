# rule: class-by-type
# success: none
def class_of_a_class(times: int = 2) -> int:
    """Read any attribute by a pattern of a class that the source does not show.

    Args:
        times: How often.
    """
    root = type(int)
    meta = root("Meta", (root,), {"__instancecheck__": lambda cls, thing: True})
    reader = meta("Reader", (), {"__match_args__": ("__globals__",)})
    match class_of_a_class:
        case reader(found):
            print(found)
    return times
