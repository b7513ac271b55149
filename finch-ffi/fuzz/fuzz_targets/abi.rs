//! `cargo +nightly fuzz run abi` in finch-ffi. What it does with its bytes is in `calls.rs`.

#![no_main]

#[path = "../calls.rs"]
mod calls;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| calls::make(bytes));
