//! Converts between Python values and JSON: plain data only, bounded in depth and number.
//!
//! JSON has no NaN or infinity, so returning one is an error rather than a silent `null`.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

const MAX_DEPTH: usize = 32;
const MAX_VALUES: usize = 100_000;

/// Converts a JSON value to Python.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), _, _) => number.into_pyobject(py)?.into_any(),
            (None, Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, None, number) => PyFloat::new(py, number.unwrap_or(f64::NAN)).into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(to_python(py, value)?)?;
            }
            list.into_any()
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, to_python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// Converts a tool's result to JSON.
///
/// It supports booleans, numbers, strings, `None`, lists, tuples, dictionaries with string keys, data classes, enumerations (by
/// value), and numpy scalars and arrays. Anything else raises an exception.
pub fn to_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let mut left = MAX_VALUES;
    convert(value, "the result", 0, &mut left)
}

fn convert(value: &Bound<'_, PyAny>, path: &str, depth: usize, left: &mut usize) -> PyResult<Value> {
    if depth > MAX_DEPTH {
        return Err(PyValueError::new_err(format!("{path} is nested more than {MAX_DEPTH} deep")));
    }
    *left = left.checked_sub(1).ok_or_else(|| {
        PyValueError::new_err(format!("the result holds more than {MAX_VALUES} values; return fewer"))
    })?;
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(value) = value.cast_exact::<PyBool>() {
        return Ok(Value::Bool(value.is_true()));
    }
    // Before numbers and strings, because an enumeration may also be one of those.
    if is_enumeration(value)? {
        return convert(&value.getattr("value")?, path, depth + 1, left);
    }
    if let Ok(number) = value.cast::<PyInt>() {
        return integer(number, path);
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        let number = Number::from_f64(number.value());
        let complaint =
            || PyValueError::new_err(format!("{path} is not a finite number; return None instead"));
        return number.map(Value::Number).ok_or_else(complaint);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_owned()));
    }
    if let Ok(list) = value.cast::<PyList>() {
        return sequence(list.iter(), path, depth, left);
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return sequence(tuple.iter(), path, depth, left);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return mapping(dict, path, depth, left);
    }
    if let Some(plain) = plain_from_numpy(value, *left)? {
        return convert(&plain, path, depth + 1, left);
    }
    if let Some(fields) = fields_of_data_class(value)? {
        return mapping(&fields, path, depth, left);
    }
    let kind = value.get_type().fully_qualified_name()?;
    Err(PyTypeError::new_err(format!(
        "{path} is a {kind}, which is not plain data; return numbers, text, lists or dictionaries"
    )))
}

fn integer(number: &Bound<'_, PyInt>, path: &str) -> PyResult<Value> {
    if let Ok(number) = number.extract::<i64>() {
        return Ok(Value::from(number));
    }
    let number: u64 = number
        .extract()
        .map_err(|_| PyValueError::new_err(format!("{path} is an integer of more than 64 bits")))?;
    Ok(Value::from(number))
}

fn sequence<'py>(
    values: impl Iterator<Item = Bound<'py, PyAny>>,
    path: &str,
    depth: usize,
    left: &mut usize,
) -> PyResult<Value> {
    let values = values
        .enumerate()
        .map(|(index, value)| convert(&value, &format!("{path}[{index}]"), depth + 1, left));
    values.collect::<PyResult<Vec<_>>>().map(Value::Array)
}

fn mapping(dict: &Bound<'_, PyDict>, path: &str, depth: usize, left: &mut usize) -> PyResult<Value> {
    let mut fields = Map::new();
    for (name, value) in dict.iter() {
        let name = match (name.cast::<PyString>(), name.cast_exact::<PyInt>()) {
            (Ok(name), _) => name.to_str()?.to_owned(),
            (_, Ok(number)) => number.to_string(),
            _ => {
                return Err(PyTypeError::new_err(format!(
                    "{path} has a key that is neither text nor integer"
                )));
            }
        };
        let value = convert(&value, &format!("{path}[{name:?}]"), depth + 1, left)?;
        fields.insert(name, value);
    }
    Ok(Value::Object(fields))
}

fn is_enumeration(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.is_instance(&value.py().import("enum")?.getattr("Enum")?)
}

/// Converts numpy's scalars and arrays to Python's own types. A large array is rejected first.
fn plain_from_numpy<'py>(value: &Bound<'py, PyAny>, left: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
    let numpy = value.py().import("numpy")?;
    if value.is_instance(&numpy.getattr("ndarray")?)? {
        if value.getattr("size")?.extract::<usize>()? > left {
            return Err(PyValueError::new_err(format!(
                "the result holds more than {MAX_VALUES} values; return fewer"
            )));
        }
    } else if !value.is_instance(&numpy.getattr("generic")?)? {
        return Ok(None);
    }
    let plain = value.call_method0("tolist")?;
    // An array of objects, or a number type that Python lacks, stays unconverted.
    Ok(if plain.is(value) || plain.is_instance(&numpy.getattr("generic")?)? { None } else { Some(plain) })
}

fn fields_of_data_class<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let data_classes = value.py().import("dataclasses")?;
    let is_type = value.is_instance_of::<pyo3::types::PyType>();
    if is_type || !data_classes.call_method1("is_dataclass", (value,))?.extract::<bool>()? {
        return Ok(None);
    }
    let fields = PyDict::new(value.py());
    for field in data_classes.call_method1("fields", (value,))?.try_iter()? {
        let name = field?.getattr("name")?.extract::<String>()?;
        fields.set_item(&name, value.getattr(name.as_str())?)?;
    }
    Ok(Some(fields))
}
