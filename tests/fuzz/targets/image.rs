//! Fuzzes `minismith_tests::fuzz::files::image`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| minismith_tests::fuzz::files::image(data));
