//! What a tool reads and writes: `minismith.InputFile` and `minismith.OutputFiles`. Neither opens anything. What is read
//! came with the job; what is written is asked of the stage, piece by piece.

use minismith_wire::{Cue, Job};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMappingProxy};
use serde_json::Value;

use crate::{library, stage, value};

/// Puts a job's files, and the means to write others, among the arguments of the call.
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
    if let Some(parameter) = &job.outputs {
        arguments.set_item(parameter, Bound::new(py, OutputFiles)?)?;
    }
    Ok(())
}

/// A script has all its files by name in one argument, `inputs`, and takes more of what it writes.
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
    arguments.set_item(job.outputs.as_deref().unwrap_or("outputs"), outputs)
}

/// A file that was given to the tool.
#[pyclass(frozen, module = "minismith")]
pub struct InputFile {
    /// Its name, without any folder.
    #[pyo3(get)]
    name: String,
    /// What was found out about it: type, encoding, columns, rows, width, ...
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
    /// As it is.
    fn bytes(&self, py: Python<'_>) -> Py<PyBytes> {
        self.content.clone_ref(py)
    }

    /// As text, in the encoding that was found.
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, "text")
    }

    /// The lines of its text, without their ends.
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, "lines")
    }

    /// A table's rows: a dictionary of texts by column each.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, "rows")
    }

    /// What a JSON document holds.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, "json")
    }

    /// The array of an npy file; plain data only.
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

/// Where a tool writes its files.
#[pyclass(frozen, module = "minismith")]
pub struct OutputFiles;

impl OutputFiles {
    fn write_as(&self, name: &str, how: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(name, &library::helper(value.py(), "files", how)?.call1((value,))?)
    }
}

#[pymethods]
impl OutputFiles {
    /// Writes text or bytes; what is written to the same name again goes on after it.
    fn write(&self, name: &str, content: &Bound<'_, PyAny>) -> PyResult<()> {
        for piece in library::helper(content.py(), "files", "pieces")?.call1((content,))?.try_iter()? {
            let piece = piece?.extract().map_err(|_| PyRuntimeError::new_err("a piece is no text"))?;
            stage::ask(Cue::Write { file: name.to_owned(), piece })?;
        }
        Ok(())
    }

    /// Writes plain data as a JSON document.
    fn write_json(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_as(name, "as_json", value)
    }

    /// Writes dictionaries, each a row, as a CSV table; the first one names the columns.
    fn write_rows(&self, name: &str, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_as(name, "as_rows", rows)
    }

    /// Writes an array as an npy file.
    fn write_array(&self, name: &str, array: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_as(name, "as_array", array)
    }

    /// Draws lines over a common x axis as an SVG picture: `lines` are lists of numbers by name.
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
