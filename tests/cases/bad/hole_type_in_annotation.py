# rule: class-by-type
def hole_type_in_annotation(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    thing: (Thing := type("Thing", (), {})) = None
    print(thing, Thing())
    return times
