//! Fuzzes `minismith_tests::fuzz::text::steps`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| minismith_tests::fuzz::text::steps(data));
