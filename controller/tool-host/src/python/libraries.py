"""Loads the libraries of the code profile and uses each once, so that guests inherit everything that is loaded lazily.

A guest opens no file. Files that the libraries read from their own folders (mainly fonts) are stored here as bytes, and
`open` returns those, and only those, without a system call. Nothing here starts a thread, because a fork copies only one.
"""

import builtins
import encodings
import importlib
import io
import os
import pkgutil
import sys
import warnings

# Modules that scripts may import, and modules that those import lazily.
MODULES = """
bz2 gzip lzma tarfile xml.etree.ElementTree zipfile zlib zoneinfo html.parser base64 email.utils hashlib pathlib tempfile
yaml
numpy.lib.scimath
scipy scipy.cluster.hierarchy scipy.cluster.vq scipy.constants scipy.fft scipy.integrate scipy.interpolate scipy.io
scipy.io.wavfile scipy.linalg scipy.ndimage scipy.optimize scipy.signal scipy.signal.windows scipy.sparse
scipy.sparse.csgraph scipy.sparse.linalg scipy.spatial scipy.spatial.distance scipy.spatial.transform scipy.special
scipy.stats scipy.stats.mstats
pandas pandas.api.types pandas.plotting pandas.io.formats.format pandas.io.excel._openpyxl
pandas.io.json pandas.io.parquet pandas.io.xml pandas.plotting._matplotlib pandas.tseries.offsets
pyarrow pyarrow.compute pyarrow.parquet
matplotlib matplotlib.backends.backend_agg matplotlib.backends.backend_svg matplotlib.cm matplotlib.colors
matplotlib.dates matplotlib.figure matplotlib.gridspec matplotlib.lines matplotlib.patches matplotlib.pyplot
matplotlib.ticker
openpyxl openpyxl.chart openpyxl.styles openpyxl.utils
pypdf pypdf.generic
h5py
PIL PIL.Image PIL.ImageColor PIL.ImageDraw PIL.ImageEnhance PIL.ImageFilter PIL.ImageFont PIL.ImageOps PIL.ImageStat
PIL.BmpImagePlugin PIL.GifImagePlugin PIL.JpegImagePlugin PIL.PngImagePlugin PIL.TiffImagePlugin PIL.WebPImagePlugin
""".split()

# Stored files by path.
stored_files = {}
original_open, original_isfile, original_exists = builtins.open, os.path.isfile, os.path.exists


def content(path):
    """The stored bytes of a path, or None. Some libraries use subclasses of str with their own comparison as paths."""
    return stored_files.get(str.__str__(os.fspath(path))) if isinstance(path, (str, os.PathLike)) else None


def open_stored(file, mode="r", *rest, **named):
    stored = None if set(mode) & set("wax+") else content(file)
    if stored is None:
        return original_open(file, mode, *rest, **named)
    raw = io.BytesIO(stored)
    return raw if "b" in mode else io.TextIOWrapper(raw, named.get("encoding") or "utf-8")


def install():
    # This comes first, because some libraries keep a reference to it.
    builtins.open = io.open = open_stored
    # The libraries read these when they are loaded. Guests do not see them.
    os.environ.update(
        ARROW_DEFAULT_MEMORY_POOL="system",
        HDF5_USE_FILE_LOCKING="FALSE",
        # Prevents Arrow's allocator from starting a thread when it is loaded.
        JE_ARROW_MALLOC_CONF="background_thread:false",
        MPLBACKEND="Agg",
        MPLCONFIGDIR=os.path.join(sys.prefix, "matplotlib"),
    )
    if sys.modules.get("ssl", sys) is None:
        # The event loop disables it. Arrow needs it, and there is no network that it could use.
        del sys.modules["ssl"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in MODULES:
            importlib.import_module(name)
        for module in pkgutil.iter_modules(encodings.__path__):
            if module.name not in ("mbcs", "oem", "cp65001"):
                importlib.import_module(f"encodings.{module.name}")
        store_time_zones()
        store_fonts()
        write_sheets_to_memory()
        use_one_thread()
        # Guests have one folder, which is empty.
        os.getcwd = lambda: "/"
        os.path.isfile = lambda path: content(path) is not None or original_isfile(path)
        os.path.exists = lambda path: content(path) is not None or original_exists(path)
        warm_up()


def store_files(folder, wanted):
    for place, _, files in os.walk(folder):
        for file in filter(wanted, files):
            path = os.path.join(place, file)
            with original_open(path, "rb") as whole:
                stored_files[path] = whole.read()


def store_time_zones():
    """Stores the time zones of the package tzdata, so that they are the same on every machine. pandas uses two readers."""
    import tzdata
    import zoneinfo

    zones = os.path.join(os.path.dirname(tzdata.__file__), "zoneinfo")
    store_files(zones, lambda file: not file.endswith((".py", ".pyc")))
    zoneinfo.reset_tzpath([zones])


def store_fonts():
    import matplotlib
    from matplotlib import font_manager

    fonts = os.path.join(os.path.dirname(matplotlib.__file__), "mpl-data", "fonts")
    store_files(fonts, lambda file: file.endswith((".ttf", ".afm")))
    manager = font_manager.fontManager
    # Use only the stored fonts, because those of the machine are files and differ between machines.
    manager.ttflist = [font for font in manager.ttflist if font.fname in stored_files]
    manager.afmlist = [font for font in manager.afmlist if font.fname in stored_files]
    font_manager._load_fontmanager = lambda **named: manager


def write_sheets_to_memory():
    """Makes openpyxl write each sheet to memory instead of a temporary file."""
    from openpyxl.worksheet import _writer
    from openpyxl.writer import excel

    class Archive(excel.ZipFile):
        def write(self, filename, arcname=None, *rest, **named):
            if isinstance(filename, io.BytesIO):
                return self.writestr(arcname, filename.getvalue())
            return super().write(filename, arcname, *rest, **named)

    excel.ZipFile = Archive
    _writer.create_temporary_file = lambda suffix="": io.BytesIO()
    _writer.WorksheetWriter.cleanup = lambda self: None


def use_one_thread():
    import pandas
    import pyarrow
    import pyarrow.parquet

    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    pandas.options.mode.string_storage = "python"

    def read_parquet(path, engine="auto", columns=None, **unknown):
        """Reads a Parquet file from memory in this thread."""
        if unknown:
            raise TypeError(f"read_parquet does not support {', '.join(unknown)} here; read everything, then select")
        if isinstance(path, (bytes, bytearray)):
            path = io.BytesIO(path)
        read = pyarrow.parquet.ParquetFile(path, pre_buffer=False).read(columns=columns, use_threads=False)
        return read.to_pandas(use_threads=False)

    pandas.read_parquet = read_parquet


def warm_up():
    """Does once what scripts do, to load lazy modules, find fonts and fill caches."""
    import h5py
    import numpy
    import openpyxl
    import pandas
    import pypdf
    import yaml
    from matplotlib import pyplot
    from PIL import Image, ImageDraw
    from scipy import optimize, signal, stats

    table = pandas.DataFrame(
        {
            "at": pandas.date_range("2026-01-01", periods=6, freq="h", tz="Europe/Berlin").tz_localize(None),
            "a": [1, 2, 3, 4, 5, 6],
            "b": [0.5, None, 2.5, 1.5, 2.0, 9.0],
            "c": list("xyxyxy"),
        }
    )
    str(table), table.describe(include="all"), table.groupby("c")[["a", "b"]].agg(["mean", "std"]).to_string()
    table.merge(table, on="a"), table.pivot_table(index="c", values="a"), table.corr(numeric_only=True)
    table.set_index("at")["a"].resample("2h").mean().rolling(2).mean()
    table["c"].str.upper().str.contains("X"), table["c"].value_counts(), table.sort_values("b")
    text = table.to_csv(index=False)
    pandas.read_csv(io.BytesIO(text.encode()), parse_dates=["at"]), pandas.read_csv(io.StringIO(text), sep=None, engine="python")
    pandas.read_json(io.StringIO(table.to_json())), table.to_html(), table.to_dict("records")
    pandas.read_xml(io.StringIO("<r><p><q>1</q></p></r>"), parser="etree")
    for write, read in ((table.to_excel, pandas.read_excel), (table.to_parquet, pandas.read_parquet)):
        file = io.BytesIO()
        write(file, index=False)
        read(io.BytesIO(file.getvalue()))
    file = io.BytesIO()
    book = openpyxl.Workbook()
    book.active.append([1, "x", 2.5])
    book.save(file)
    openpyxl.load_workbook(io.BytesIO(file.getvalue()), read_only=True, data_only=True).active.max_row
    file = io.BytesIO()
    with h5py.File(file, "w") as store:
        store.create_dataset("d", data=numpy.arange(10.0), compression="gzip")
        store["d"].attrs["unit"] = "m"
    with h5py.File(io.BytesIO(file.getvalue()), "r") as store:
        store["d"][:].mean(), str(store), dict(store["d"].attrs)
    file = io.BytesIO()
    writer = pypdf.PdfWriter()
    writer.add_blank_page(200, 200)
    writer.write(file)
    pypdf.PdfReader(io.BytesIO(file.getvalue())).pages[0].extract_text()
    yaml.safe_dump(yaml.safe_load("a: [1, 2]"))
    for kind in ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP"):
        file = io.BytesIO()
        picture = Image.new("RGB", (8, 8), "red")
        ImageDraw.Draw(picture).line((0, 0, 7, 7))
        picture.save(file, kind)
        Image.open(io.BytesIO(file.getvalue())).convert("L").resize((4, 4)).load()
    figure, axes = pyplot.subplots(1, 2)
    axes[0].plot(table["at"], table["a"], label="$x^2$")
    axes[0].set_title("title")
    axes[0].legend()
    axes[1].hist(table["b"].dropna())
    axes[1].bar(table["c"], table["a"])
    figure.autofmt_xdate()
    figure.tight_layout()
    for kind in ("png", "svg"):
        figure.savefig(io.BytesIO(), format=kind, dpi=40)
    pyplot.close("all")
    table.plot(x="a", y="b")
    pyplot.imshow(numpy.eye(3))
    pyplot.colorbar()
    pyplot.savefig(io.BytesIO())
    pyplot.close("all")
    stats.linregress([1, 2, 3], [1, 2, 4]), stats.ttest_ind([1, 2, 3], [2, 3, 4]), signal.welch(numpy.arange(300.0))
    optimize.minimize(lambda x: (x**2).sum(), [1.0]), optimize.curve_fit(lambda x, a: a * x, [1, 2, 3], [2, 4, 6.5])
