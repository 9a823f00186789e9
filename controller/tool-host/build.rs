//! Writes the path of libpython into the program, so that it never runs on another interpreter's library.
fn main() {
    pyo3_build_config::add_libpython_rpath_link_args();
}
