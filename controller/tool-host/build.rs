//! Writes the path and the version of libpython into the program, so that it always loads the library it was built for,
//! and `minismith setup` can find out which Python that is.
fn main() {
    pyo3_build_config::add_libpython_rpath_link_args();
    let version = pyo3_build_config::get().version();
    println!("cargo:rustc-env=MINISMITH_PYTHON_VERSION={}.{}", version.major, version.minor);
}
