//! Fuzzes `minismith_tests::fuzz::files::recorded_move`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| minismith_tests::fuzz::files::recorded_move(data));
