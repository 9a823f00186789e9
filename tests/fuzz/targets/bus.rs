//! Fuzzes `minismith_tests::fuzz::robot::bus`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| minismith_tests::fuzz::robot::bus(data));
