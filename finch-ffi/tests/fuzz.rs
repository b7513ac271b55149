//! Calls made of any bytes: those that the fuzzer found interesting, and as many at random.

use std::fs;
use std::path::Path;

#[path = "../fuzz/calls.rs"]
mod calls;

#[test]
fn cases_that_the_fuzzer_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/cases");
    let mut cases = 0;
    for case in fs::read_dir(folder).unwrap() {
        calls::make(&fs::read(case.unwrap().path()).unwrap());
        cases += 1;
    }
    assert!(cases > 100, "{cases} cases");
}

#[test]
fn random_calls() {
    let mut state = 1u64;
    for length in 0..3_000 {
        let bytes: Vec<u8> = (0..length % 700)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
            .collect();
        calls::make(&bytes);
    }
}
