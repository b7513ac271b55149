//! `cargo +nightly fuzz run model` in finch-ffi. What it does with its bytes is in `models.rs`.

#![no_main]

#[path = "../models.rs"]
mod models;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| models::read(bytes));
