"""Files of a script of the code profile: `inputs`, a mapping of files in memory, and `outputs`, which saves files.

Nothing here opens a file: input arrives with the job, and output is sent to the controller chunk by chunk.
"""

import collections.abc
import io
import json

import numpy


class Input(io.BytesIO):
    """An input file as an open binary file. Each access to `inputs[name]` starts at its beginning."""

    def __init__(self, name, about, content):
        super().__init__(content)
        self.name = name
        self.about = about
        self.content = content

    def bytes(self):
        return self.content

    def text(self):
        return self.content.decode(self.about.get("encoding") or "utf-8", "replace")

    def lines(self):
        return self.text().splitlines()

    def json(self):
        return json.loads(self.text())

    def table(self, **named):
        """Its rows as a pandas.DataFrame, read according to its type."""
        import pandas

        kind = self.about.get("type")
        match kind:
            case "csv":
                read = pandas.read_csv
                encoding = self.about.get("encoding") or "utf-8"
                named = {"sep": self.about.get("delimiter", ","), "encoding": encoding, **named}
            case "xlsx":
                read = pandas.read_excel
            case "parquet":
                read = pandas.read_parquet
            case "xml":
                read, named = pandas.read_xml, {"parser": "etree", **named}
            case "json":
                value = self.json()
                rows = value if isinstance(value, list) else [value]
                return pandas.json_normalize(rows)
            case _:
                raise ValueError(f"a file of type {kind} is not a table; use another method")
        return read(io.BytesIO(self.content), **named)

    def __repr__(self):
        return f"Input({self.name!r}, {len(self.content)} bytes)"


class Inputs(collections.abc.Mapping):
    """The input files by name."""

    def __init__(self, files):
        self._files = {name: (about, content) for name, about, content in files}

    def __getitem__(self, name):
        try:
            about, content = self._files[name]
        except KeyError:
            known = ", ".join(repr(known) for known in self._files) or "no files"
            raise KeyError(f"no input {name!r}; available: {known}") from None
        return Input(name, about, content)

    def __iter__(self):
        return iter(self._files)

    def __len__(self):
        return len(self._files)

    def __repr__(self):
        return f"Inputs({list(self._files)})"


class Outputs:
    """Saves files: bytes, text, figures, tables, arrays, images and plain data."""

    def __init__(self, writer):
        self._writer = writer

    def save(self, name, what):
        """Writes a file. The extension selects the format."""
        self._writer.write(name, as_bytes(name, what))

    def write(self, name, what):
        self.save(name, what)

    def __repr__(self):
        return "Outputs()"


def as_bytes(name, what):
    import matplotlib.figure
    import pandas
    import PIL.Image

    extension = name.rsplit(".", 1)[-1].lower() if isinstance(name, str) else ""
    file = io.BytesIO()
    if isinstance(what, str):
        return what.encode()
    if isinstance(what, (bytes, bytearray)):
        return bytes(what)
    if isinstance(what, io.BytesIO):
        return what.getvalue()
    if isinstance(what, io.StringIO):
        return what.getvalue().encode()
    if hasattr(what, "gcf"):
        # The module pyplot stands for its current figure.
        what = what.gcf()
    if hasattr(what, "get_figure") and what.get_figure() is not None:
        what = what.get_figure()
    if isinstance(what, matplotlib.figure.Figure):
        if extension not in ("png", "svg", "jpg", "jpeg", "webp", "tif", "tiff"):
            raise ValueError(f"cannot write a figure as {name!r}; use .png or .svg")
        what.savefig(file, format=extension, dpi=100)
        return file.getvalue()
    if isinstance(what, pandas.Series):
        what = what.to_frame()
    if isinstance(what, pandas.DataFrame):
        # A plain row number is not data.
        index = not isinstance(what.index, pandas.RangeIndex)
        match extension:
            case "csv" | "txt":
                return what.to_csv(index=index).encode()
            case "json":
                return what.to_json(orient="records", date_format="iso").encode()
            case "md":
                return what.to_string(index=index).encode()
            case "xlsx":
                what.to_excel(file, index=index)
            case "parquet":
                what.to_parquet(file)
            case _:
                raise ValueError(f"cannot write a table as {name!r}; use .csv, .json, .xlsx or .parquet")
        return file.getvalue()
    if isinstance(what, PIL.Image.Image):
        what.save(file, {"jpg": "JPEG", "jpeg": "JPEG", "tif": "TIFF"}.get(extension, extension.upper()))
        return file.getvalue()
    if isinstance(what, numpy.ndarray) and extension == "npy":
        if what.dtype.hasobject:
            raise ValueError("cannot write an array of objects; write numbers or text")
        numpy.lib.format.write_array(file, what, allow_pickle=False)
        return file.getvalue()
    if isinstance(what, numpy.ndarray):
        what = what.tolist()
    if isinstance(what, (dict, list, tuple, int, float, bool)):
        return json.dumps(what, indent=2, default=str).encode()
    raise TypeError(
        f"outputs.save takes bytes, text, a figure, a table, an image, an array or plain data, not {type(what).__name__}"
    )


def plain(value):
    """Converts values of the data libraries to plain data."""
    import pandas

    if isinstance(value, (pandas.DataFrame, pandas.Series)):
        return json.loads(value.to_json(orient="records" if value.ndim == 2 else "index", date_format="iso"))
    if isinstance(value, (pandas.Timestamp, pandas.Timedelta)):
        return str(value)
    if value is pandas.NA or value is pandas.NaT:
        return None
    if isinstance(value, (float, numpy.floating)):
        return float(value) if numpy.isfinite(value) else None
    if isinstance(value, numpy.ndarray):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset, pandas.Index)):
        return [plain(one) for one in value]
    return value
