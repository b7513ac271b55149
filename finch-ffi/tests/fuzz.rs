//! Calls made of any bytes: those that the fuzzer found interesting, and as many at random.

#[path = "../fuzz/calls.rs"]
mod calls;

#[test]
fn cases_that_the_fuzzer_found() {
    let cases = include_str!("../fuzz/cases.txt").lines().filter(|line| !line.starts_with('#'));
    let byte = |digits: &[u8]| u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap();
    for case in cases {
        calls::make(&case.as_bytes().chunks(2).map(byte).collect::<Vec<u8>>());
    }
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
