//! Calls made of any bytes: those that the fuzzer found interesting, and as many at random. And saved
//! models with any bytes changed.

#[path = "../fuzz/calls.rs"]
mod calls;
#[path = "../fuzz/models.rs"]
mod models;

use std::fs;
use std::path::Path;

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

/// Small changes of sound models, with the checksum set right: some are other sound models, and most
/// are refused. For a longer run, FINCH_FUZZ_ROUNDS says how many changes of each model, and
/// FINCH_FUZZ_SEED what the random numbers begin with.
#[test]
fn changed_models() {
    let number = |name: &str, default: u64| -> u64 {
        std::env::var(name).map_or(default, |text| text.parse().unwrap())
    };
    let rounds = number("FINCH_FUZZ_ROUNDS", 1_500);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../finch-core/tests/models");
    let mut state: u64 = number("FINCH_FUZZ_SEED", 7);
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let (mut tried, mut sound) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "safetensors") {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        assert_eq!(models::read(&bytes), 2, "{}", path.display());
        assert_eq!(models::signed(&bytes).unwrap(), bytes);
        for _ in 0..rounds {
            let mut changed = bytes.clone();
            for _ in 0..=random(3) {
                let place = random(changed.len());
                changed[place] = match random(3) {
                    0 => random(256) as u8,
                    1 => changed[place] ^ (1 << random(8)),
                    _ => changed[random(changed.len())],
                };
            }
            if random(8) == 0 {
                changed.truncate(random(changed.len()));
            }
            sound += models::read(&changed);
            tried += 1;
        }
    }
    assert!(
        tried as u64 == 7 * rounds && sound > tried / 90 && sound < tried / 2,
        "{sound} of {tried} are sound"
    );
}
