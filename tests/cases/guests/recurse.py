# raises: RecursionError
def recurse() -> int:
    return 1 + recurse()
