//! Finds the tool host and its Python interpreter.

use std::env;
use std::path::{Path, PathBuf};

use minismith_runtime::paths::{Environment, PYTHON_VARIABLE};

use super::GuestError;

const PROGRAM: &str = "minismith-tool-host";
const PROGRAM_VARIABLE: &str = "MINISMITH_TOOL_HOST";
const PYTHON: &str = ".venv/bin/python";
const CODE_VARIABLE: &str = "MINISMITH_CODE_PYTHON";
/// Suffix of the virtual environment for code tasks. It is next to the one for tools.
const CODE_SUFFIX: &str = "-code";

/// Returns the paths of the host program and its interpreter.
///
/// The program is `MINISMITH_TOOL_HOST`, or is next to this executable (or in the folder above, for tests). The
/// interpreter is the first of: `MINISMITH_PYTHON`, the configured `python`, or `.venv/bin/python` of the source tree in
/// which the current folder or this executable is.
///
/// # Errors
/// Returns [`GuestError::NoHost`], which lists the searched paths and says what to do.
pub fn locate(python: &Path) -> Result<(PathBuf, PathBuf), GuestError> {
    let program = locate_program()?;
    let executable = executable()?;
    let environment = Environment::of_this_process();
    let here = environment.current.clone();
    // Any other folder above may belong to somebody else, or hold a Python for other purposes.
    let above = here.ancestors().chain(executable.ancestors().skip(1));
    let trees = above.filter(|folder| environment.is_source_tree(folder)).map(|folder| folder.join(PYTHON));
    let configured = python;
    let python = choose(PYTHON_VARIABLE, std::iter::once(python.to_owned()).chain(trees), |_| {
        format!(
            "there is no Python for tools: {} is missing; install it with `minismith setup` (in the source tree also \
             `make setup`), or set {PYTHON_VARIABLE}; `minismith paths` shows where it was looked for",
            configured.display()
        )
    })?;
    Ok((program, python))
}

/// Returns the path of the host program, as [`locate`] does.
///
/// # Errors
/// Returns [`GuestError::NoHost`], which lists the searched paths and says what to do.
pub fn locate_program() -> Result<PathBuf, GuestError> {
    let executable = executable()?;
    let candidates = executable.ancestors().skip(1).take(2).map(|folder| folder.join(PROGRAM));
    choose(PROGRAM_VARIABLE, candidates, |searched| {
        format!(
            "the program {PROGRAM} is missing (searched {searched}); copy it beside the program `minismith` with which it was built, or set {PROGRAM_VARIABLE}"
        )
    })
}

fn executable() -> Result<PathBuf, GuestError> {
    env::current_exe().map_err(|error| GuestError::no_host("cannot find this program", error))
}

/// Returns the paths of the host program and the interpreter of the code profile.
///
/// The interpreter is `MINISMITH_CODE_PYTHON`, or is in `.venv-code` next to the `.venv` of the tools.
///
/// # Errors
/// Returns [`GuestError::NoHost`], which says what to run to install it.
pub fn locate_code(python: &Path) -> Result<(PathBuf, PathBuf), GuestError> {
    let (program, tools) = locate(python)?;
    let candidates = tools.parent().and_then(Path::parent).and_then(|venv| {
        let mut name = venv.file_name()?.to_owned();
        name.push(CODE_SUFFIX);
        Some(venv.with_file_name(name).join("bin").join("python"))
    });
    let python = choose(CODE_VARIABLE, candidates.into_iter(), |searched| {
        format!(
            "scipy, OpenCV and the libraries for code tasks are not installed (searched {searched}); run `make code` in the project's \
             folder, which takes 800 MB, or set {CODE_VARIABLE}"
        )
    })?;
    Ok((program, python))
}

fn choose(
    variable: &str,
    paths: impl Iterator<Item = PathBuf>,
    message: impl FnOnce(String) -> String,
) -> Result<PathBuf, GuestError> {
    if let Some(named) = env::var_os(variable) {
        let named = PathBuf::from(named);
        return if named.is_file() {
            Ok(named)
        } else {
            let reason =
                format!("{variable} is {}, which is not a file; correct or unset it", named.display());
            Err(GuestError::NoHost { reason })
        };
    }
    let paths: Vec<PathBuf> = paths.collect();
    let found = paths.iter().find(|path| path.is_file()).cloned();
    found.ok_or_else(|| {
        let searched: Vec<String> = paths.iter().map(|path: &PathBuf| display(path)).collect();
        GuestError::NoHost { reason: message(searched.join(", ")) }
    })
}

fn display(path: &Path) -> String {
    path.display().to_string()
}
