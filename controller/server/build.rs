//! The page is compiled in: what was built anew is taken in anew.

fn main() {
    println!("cargo:rerun-if-changed=../dashboard/dist");
}
