//! Builds the crate again when the predefined tools change, which are embedded in it.
fn main() {
    println!("cargo:rerun-if-changed=../../tools/predefined");
}
