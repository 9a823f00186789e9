//! Fuzzes `minismith_tests::fuzz::server::rest`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| minismith_tests::fuzz::server::rest(data));
