# rule: unsupported-type
from minismith import InputFile


def list_of_files(files: list[InputFile]) -> int:
    """Count files.

    Args:
        files: What to count.

    Returns:
        How many there are.
    """
    return len(files)
