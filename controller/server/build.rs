//! Rebuilds the crate when the dashboard was built again: the page is embedded in it.

fn main() {
    println!("cargo:rerun-if-changed=../dashboard/dist");
}
