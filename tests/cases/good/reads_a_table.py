from minismith import InputFile, OutputFiles


def reads_a_table(table: InputFile, out: OutputFiles, column: str = "x") -> dict[str, float]:
    """Mean and range of one column of a table, with a report and a plot.

    Args:
        table: CSV file of at most 5 MB with one row for each measurement.
        out: Writes report.md, plot.svg and what was read as JSON.
        column: The column's name.

    Returns:
        The mean, the least and the greatest value.
    """
    if column not in table.about["columns"]:
        raise ValueError(f"{table.name} has no column {column}; it has {', '.join(table.about['columns'])}")
    values = [float(row[column]) for row in table.rows()]
    if not values:
        raise ValueError(f"{table.name} has no rows")
    found = {"mean": sum(values) / len(values), "least": min(values), "greatest": max(values)}
    out.write("report.md", f"# {column} of {table.name}\n\n")
    for name, value in found.items():
        out.write("report.md", f"* {name}: {value:.3f}\n")
    out.write_plot("plot.svg", list(range(len(values))), {column: values}, title=table.name)
    out.write_json("found.json", found)
    return found
