//! Fuzzes `minismith_tests::fuzz::files::journal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| minismith_tests::fuzz::files::journal(data));
