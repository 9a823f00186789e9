# rule: dunder-attribute
# class: attr_subclasses
# success: file PWNED
def subclasses_in_comprehension(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    found = [kind for kind in ().__class__.__base__.__subclasses__() if kind.__name__ == "BuiltinImporter"]
    found[0].load_module("posix").mkdir("PWNED")
    return times
