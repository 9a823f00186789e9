//! Fuzzes `minismith_tests::fuzz::tools::wire`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| minismith_tests::fuzz::tools::wire(data));
