//! The trainer of the library, without files.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use finch_deep::data::Matrix;
use finch_deep::train::{
    Backend, Checkpoint, Clustered, Config, Event, Objective, Progress, TrainError, Trainer, embed,
};
use ndarray::{Array2, ShapeBuilder, s};
use tempfile::TempDir;

use crate::place::{CLASSES, FEATURES, SAMPLES, gaussians, network};

/// A configuration for the library: as of the runs of the command, but shorter.
fn config() -> Config {
    let mut config = Config::default();
    (config.clusters, config.epochs, config.relabel_every) = (Some(CLASSES), 4, 2);
    (config.batch, config.hidden, config.objectives) = (64, vec![32, 32], vec![Objective::Labels]);
    config
}

/// The epoch, and the trained values.
fn state(trainer: &Trainer<'_>) -> (String, BTreeMap<String, Vec<u8>>) {
    let checkpoint = trainer.checkpoint();
    (checkpoint.file_name(), network(&checkpoint.to_bytes()))
}

/// Trains to the end; returns the last clustering and checkpoint.
fn trained(samples: Matrix<'_>) -> (Clustered, Checkpoint) {
    let mut trainer = Trainer::new(samples, config(), Backend::Cpu).unwrap();
    loop {
        match trainer.advance().unwrap() {
            Event::Clustered(clustered) if trainer.is_done() => {
                return (*clustered, trainer.checkpoint());
            }
            _ => {}
        }
    }
}

#[test]
fn the_type_and_the_order_of_samples_in_memory_do_not_matter() {
    // Whole numbers up to 255 are exact in all types.
    let bytes = gaussians().mapv(|value| (value * 8.0 + 60.0).clamp(0.0, 255.0) as u8);
    let (f32s, f64s) = (bytes.mapv(f32::from), bytes.mapv(f64::from));
    let mut columns = Array2::zeros((SAMPLES, FEATURES).f());
    columns.assign(&f32s);
    assert!(!columns.is_standard_layout());
    let mut sparse = Array2::zeros((2 * SAMPLES, FEATURES + 1));
    sparse.slice_mut(s![..;2, 1..]).assign(&f64s);
    let (expected, expected_end) = trained(f32s.view().into());
    let cases: [(&str, Matrix<'_>); 4] = [
        ("f64", f64s.view().into()),
        ("u8", bytes.view().into()),
        ("by columns", columns.view().into()),
        ("parts of rows", sparse.slice(s![..;2, 1..]).into()),
    ];
    for (name, samples) in cases {
        let (found, checkpoint) = trained(samples);
        assert_eq!(found.embedding, expected.embedding, "{name}");
        assert_eq!(found.clusters, expected.clusters, "{name}");
        assert_eq!(network(&checkpoint.to_bytes()), network(&expected_end.to_bytes()), "{name}");
    }
    let embedded =
        embed(&expected_end, bytes.view().into(), Backend::Cpu, &mut |_| ControlFlow::Continue(()));
    assert_eq!(embedded.unwrap(), expected.embedding.unwrap());
}

#[test]
fn a_stop_leaves_the_trainer_as_it_was() {
    let samples = gaussians();
    let samples = || Matrix::from(samples.view());
    let (expected, expected_end) = trained(samples());
    let mut trainer = Trainer::new(samples(), config(), Backend::Cpu).unwrap();
    let mut stops = 0;
    loop {
        // Each step is stopped at its first look, and at later ones, before it may come to its end.
        let before = state(&trainer);
        for looks in [1, 2, 3, 5, 8] {
            let mut seen = 0;
            let stopped = trainer.advance_watched(&mut |_| {
                seen += 1;
                if seen == looks { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert!(matches!(stopped, Err(TrainError::Stopped)), "{stopped:?} at {looks}");
            assert_eq!(state(&trainer), before);
            stops += 1;
        }
        let mut parts = Vec::new();
        let event = trainer.advance_watched(&mut |progress| {
            parts.push(match progress {
                Progress::Training { fraction, .. } | Progress::Embedding { fraction } => fraction,
                Progress::Clustering(progress) => progress.fraction,
                _ => panic!("unknown progress"),
            });
            ControlFlow::Continue(())
        });
        let event = event.unwrap();
        assert!(parts.iter().all(|part| (0.0..=1.0).contains(part)), "{parts:?}");
        match event {
            Event::Trained(_) => {
                assert!(parts.is_sorted() && parts.last() == Some(&1.0), "{parts:?}");
            }
            Event::Clustered(found) if trainer.is_done() => {
                assert_eq!(found.embedding, expected.embedding);
                assert_eq!(found.clusters, expected.clusters);
                break;
            }
            Event::Clustered(_) => {}
        }
    }
    assert_eq!(network(&trainer.checkpoint().to_bytes()), network(&expected_end.to_bytes()));
    // Three clusterings and four epochs.
    assert_eq!(stops, 7 * 5);
}

#[test]
fn a_trainer_goes_on_from_any_checkpoint() {
    let samples = gaussians();
    let samples = || Matrix::from(samples.view());
    let folder = TempDir::new().unwrap();
    let (expected, expected_end) = trained(samples());
    let mut trainer = Trainer::new(samples(), config(), Backend::Cpu).unwrap();
    let mut last = None;
    let mut names = Vec::new();
    while !trainer.is_done() {
        let checkpoint = trainer.checkpoint();
        let path = folder.path().join(checkpoint.file_name());
        names.push(checkpoint.file_name());
        checkpoint.save(&path).unwrap();
        let loaded = Checkpoint::load(&path).unwrap();
        assert_eq!(loaded.to_bytes(), checkpoint.to_bytes());
        assert_eq!(loaded.config(), trainer.config());
        // Before the first epoch there is no network, or one at random.
        let untrained = embed(&loaded, samples(), Backend::Cpu, &mut |_| ControlFlow::Continue(()));
        assert_eq!(matches!(untrained, Err(TrainError::Untrained)), names.len() <= 2);
        trainer = Trainer::resume(samples(), &loaded, Backend::Cpu).unwrap();
        if let Event::Clustered(clustered) = trainer.advance().unwrap() {
            last = Some(clustered);
        }
    }
    assert!(names.is_sorted(), "{names:?}");
    assert_eq!(last.unwrap().embedding, expected.embedding);
    assert_eq!(network(&trainer.checkpoint().to_bytes()), network(&expected_end.to_bytes()));
    // At the end, the same clustering once more.
    match trainer.advance().unwrap() {
        Event::Clustered(again) => assert_eq!(again.embedding, expected.embedding),
        Event::Trained(epoch) => panic!("epoch {} of 4", epoch.epoch),
    }

    let narrow = gaussians().slice(s![.., ..7]).to_owned();
    let found = Trainer::resume(narrow.view().into(), &expected_end, Backend::Cpu).err();
    assert!(matches!(found, Some(TrainError::Features { found: 7, expected: 8 })), "{found:?}");
    let mut other = gaussians();
    other.swap([0, 0], [1, 0]);
    let found = Trainer::resume(other.view().into(), &expected_end, Backend::Cpu).err();
    assert!(matches!(found, Some(TrainError::OtherInput { .. })), "{found:?}");
}
