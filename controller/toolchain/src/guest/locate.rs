//! Where the tool host and its Python are.

use std::env;
use std::path::{Path, PathBuf};

use super::GuestFault;

const PROGRAM: &str = "minismith-tool-host";
const PROGRAM_VARIABLE: &str = "MINISMITH_TOOL_HOST";
const PYTHON: &str = ".venv/bin/python";
const PYTHON_VARIABLE: &str = "MINISMITH_PYTHON";
const CODE_VARIABLE: &str = "MINISMITH_CODE_PYTHON";
/// What the environment of code tasks has beyond the name of that of the tools, beside which it lies.
const CODE_SUFFIX: &str = "-code";

/// The host program and the interpreter for it.
///
/// The program is `MINISMITH_TOOL_HOST`, or lies beside this executable (or in the folder above, for tests). The
/// interpreter is `MINISMITH_PYTHON`, or `python` as configured, or `.venv/bin/python` in the present folder, the
/// executable's, or one above.
///
/// # Errors
/// [`GuestFault::NoHost`] says where it was looked for and what to do.
pub fn locate(python: &Path) -> Result<(PathBuf, PathBuf), GuestFault> {
    let executable =
        env::current_exe().map_err(|error| GuestFault::no_host("finding this program", error))?;
    let beside = executable.ancestors().skip(1).take(2).map(|folder| folder.join(PROGRAM));
    let program = choose(PROGRAM_VARIABLE, beside, |looked| {
        format!("the program {PROGRAM} is not there (looked for {looked}); build it with `make setup`")
    })?;
    let here = env::current_dir().unwrap_or_default();
    let above = here.ancestors().chain(executable.ancestors().skip(1)).map(|folder| folder.join(PYTHON));
    let python = choose(PYTHON_VARIABLE, std::iter::once(python.to_owned()).chain(above), |_| {
        format!(
            "there is no {PYTHON} in this folder or above; make it with `make setup`, or set {PYTHON_VARIABLE}"
        )
    })?;
    Ok((program, python))
}

/// The host program and the interpreter of the code profile: `MINISMITH_CODE_PYTHON`, or `.venv-code` beside the
/// `.venv` of the tools.
///
/// # Errors
/// [`GuestFault::NoHost`] says what to run where it is not installed.
pub fn locate_code(python: &Path) -> Result<(PathBuf, PathBuf), GuestFault> {
    let (program, tools) = locate(python)?;
    let beside = tools.parent().and_then(Path::parent).and_then(|venv| {
        let mut name = venv.file_name()?.to_owned();
        name.push(CODE_SUFFIX);
        Some(venv.with_file_name(name).join("bin").join("python"))
    });
    let python = choose(CODE_VARIABLE, beside.into_iter(), |looked| {
        format!(
            "the libraries for code tasks are not installed (looked for {looked}); run `make code` in the project's \
             folder, which takes 640 MB, or set {CODE_VARIABLE}"
        )
    })?;
    Ok((program, python))
}

fn choose(
    variable: &str,
    places: impl Iterator<Item = PathBuf>,
    complaint: impl FnOnce(String) -> String,
) -> Result<PathBuf, GuestFault> {
    if let Some(named) = env::var_os(variable) {
        let named = PathBuf::from(named);
        return if named.is_file() {
            Ok(named)
        } else {
            let reason =
                format!("{variable} names {}, which is not a file; mend or unset it", named.display());
            Err(GuestFault::NoHost { reason })
        };
    }
    let places: Vec<PathBuf> = places.collect();
    let found = places.iter().find(|place| place.is_file()).cloned();
    found.ok_or_else(|| {
        let looked: Vec<String> = places.iter().map(|place: &PathBuf| shown(place)).collect();
        GuestFault::NoHost { reason: complaint(looked.join(", ")) }
    })
}

fn shown(place: &Path) -> String {
    place.display().to_string()
}
