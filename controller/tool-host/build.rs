//! Writes the path of libpython into the program, so that it always loads the library it was built for.
fn main() {
    pyo3_build_config::add_libpython_rpath_link_args();
}
