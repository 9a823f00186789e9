from textwrap import shorten


def text_table(rows: list[dict[str, str]] = [{"joint": "body", "angle": "0.0"}], width: int = 12) -> str:
    """Set out rows as a table.

    Args:
        rows: Each row by column.
        width: Width of a column.

    Returns:
        The table.
    """
    if not rows:
        return ""
    header = list(rows[0])
    line = lambda cells: " | ".join(f"{shorten(str(cell), width, placeholder='…'):<{width}}" for cell in cells)
    body = [line(row.get(name, "") for name in header) for row in rows]
    return "\n".join([line(header), "-+-".join("-" * width for _ in header), *body])
