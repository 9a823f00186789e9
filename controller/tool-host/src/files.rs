//! Files of a tool: `minismith.InputFile` and `minismith.OutputFiles`.
//!
//! Neither opens anything. Input arrives with the job, and output is sent to the host chunk by chunk.

use minismith_protocol::{HostCall, Job};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMappingProxy};
use serde_json::Value;

use crate::{host_channel, library, value};

/// Adds a job's input files and its output object to the call's arguments.
pub fn give(
    py: Python<'_>,
    job: &Job,
    contents: Vec<Vec<u8>>,
    arguments: &Bound<'_, PyDict>,
) -> PyResult<()> {
    if library::is_for_code(py) {
        return give_to_code(py, job, contents, arguments);
    }
    for (file, content) in job.files.iter().zip(contents) {
        let about = value::to_python(py, &Value::Object(file.about.clone()))?.cast_into::<PyDict>()?;
        let given = InputFile {
            name: file.name.clone(),
            about: PyMappingProxy::new(py, about.as_mapping()).unbind(),
            content: PyBytes::new(py, &content).unbind(),
        };
        arguments.set_item(&file.parameter, Bound::new(py, given)?)?;
    }
    if let Some(parameter) = &job.output_parameter {
        arguments.set_item(parameter, Bound::new(py, OutputFiles)?)?;
    }
    Ok(())
}

/// Adds them for a script, which gets all its files by name in one argument, `inputs`, and may write more kinds of data.
fn give_to_code(
    py: Python<'_>,
    job: &Job,
    contents: Vec<Vec<u8>>,
    arguments: &Bound<'_, PyDict>,
) -> PyResult<()> {
    let files = PyList::empty(py);
    for (file, content) in job.files.iter().zip(contents) {
        let about = value::to_python(py, &Value::Object(file.about.clone()))?;
        files.append((&file.name, about, PyBytes::new(py, &content)))?;
    }
    arguments.set_item("inputs", library::helper(py, "data", "Inputs")?.call1((files,))?)?;
    let outputs = library::helper(py, "data", "Outputs")?.call1((Bound::new(py, OutputFiles)?,))?;
    arguments.set_item(job.output_parameter.as_deref().unwrap_or("outputs"), outputs)
}

/// An input file.
#[pyclass(frozen, module = "minismith")]
pub struct InputFile {
    /// Its name, without a folder.
    #[pyo3(get)]
    name: String,
    /// Its detected properties: type, encoding, columns, rows, width, ...
    #[pyo3(get)]
    about: Py<PyMappingProxy>,
    content: Py<PyBytes>,
}

impl InputFile {
    fn read<'py>(&self, py: Python<'py>, how: &str) -> PyResult<Bound<'py, PyAny>> {
        library::helper(py, "files", how)?.call1((&self.content, &self.about))
    }
}

#[pymethods]
impl InputFile {
    /// Its bytes.
    fn bytes(&self, py: Python<'_>) -> Py<PyBytes> {
        self.content.clone_ref(py)
    }

    /// Its text, decoded with the detected encoding.
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, "text")
    }

    /// The lines of its text, without line endings.
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, "lines")
    }

    /// The rows of a table, each a dictionary of texts by column.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, "rows")
    }

    /// The value of a JSON document.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, "json")
    }

    /// The array of an npy file. Only plain data is supported.
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, "array")
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.content.as_bytes(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("InputFile({:?}, {} bytes)", self.name, self.__len__(py))
    }
}

/// The output files of a tool.
#[pyclass(frozen, module = "minismith")]
pub struct OutputFiles;

impl OutputFiles {
    fn write_as(&self, name: &str, how: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(name, &library::helper(value.py(), "files", how)?.call1((value,))?)
    }
}

#[pymethods]
impl OutputFiles {
    /// Writes text or bytes. A further call with the same name appends.
    fn write(&self, name: &str, content: &Bound<'_, PyAny>) -> PyResult<()> {
        for piece in library::helper(content.py(), "files", "pieces")?.call1((content,))?.try_iter()? {
            let piece = piece?.extract().map_err(|_| PyRuntimeError::new_err("a chunk is not text"))?;
            host_channel::call(HostCall::Write { file: name.to_owned(), piece })?;
        }
        Ok(())
    }

    /// Writes plain data as a JSON document.
    fn write_json(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_as(name, "as_json", value)
    }

    /// Writes dictionaries as the rows of a CSV table. The first one defines the columns.
    fn write_rows(&self, name: &str, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_as(name, "as_rows", rows)
    }

    /// Writes an array as an npy file.
    fn write_array(&self, name: &str, array: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_as(name, "as_array", array)
    }

    /// Draws lines over a common x axis as an SVG image. `lines` maps names to lists of numbers.
    #[pyo3(signature = (name, x, lines, title=""))]
    fn write_plot(
        &self,
        name: &str,
        x: &Bound<'_, PyAny>,
        lines: &Bound<'_, PyAny>,
        title: &str,
    ) -> PyResult<()> {
        self.write(name, &library::helper(x.py(), "files", "as_plot")?.call1((x, lines, title))?)
    }

    fn __repr__(&self) -> &'static str {
        "OutputFiles()"
    }
}
