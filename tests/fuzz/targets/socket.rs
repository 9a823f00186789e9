//! Fuzzes `minismith_tests::fuzz::server::socket`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| minismith_tests::fuzz::server::socket(data));
