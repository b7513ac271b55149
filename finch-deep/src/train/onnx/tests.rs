use std::collections::HashMap;
use std::ops::ControlFlow;

use finch_core::Metric;
use ndarray::{Array2, Axis};

use super::*;
use crate::train::{Backend, Config, Trainer, embed};

/// The output of a model for samples, operation by operation as ONNX defines them. All that is
/// computed here is a matrix, with a column or a number spread over all columns.
fn run(model: &Model, samples: &Array2<f64>) -> Array2<f64> {
    let graph = model.graph.as_ref().unwrap();
    let mut values = HashMap::from([(SAMPLES, samples.clone())]);
    for tensor in &graph.initializer {
        let float = |word: &[u8]| f32::from_le_bytes(word.try_into().unwrap()).into();
        let double = |word: &[u8]| f64::from_le_bytes(word.try_into().unwrap());
        let floats = match tensor.data_type {
            FLOAT => tensor.raw_data.chunks_exact(4).map(float).collect(),
            DOUBLE => tensor.raw_data.chunks_exact(8).map(double).collect(),
            other => panic!("type {other}"),
        };
        let length = |place: usize| tensor.dims.get(place).map_or(1, |&length| length as usize);
        let shape = if tensor.dims.len() < 2 { (1, length(0)) } else { (length(0), length(1)) };
        values.insert(&tensor.name, Array2::from_shape_vec(shape, floats).unwrap());
    }
    for node in &graph.node {
        let inputs: Vec<&Array2<f64>> = node.input.iter().map(|name| &values[&**name]).collect();
        let by_pairs = |of: fn(f64, f64) -> f64| {
            let rows = inputs[0].nrows();
            let columns = inputs[0].ncols().max(inputs[1].ncols());
            let [one, other] = [0, 1].map(|it| inputs[it].broadcast((rows, columns)).unwrap());
            let pairs = one.iter().zip(&other).map(|(&x, &y)| of(x, y)).collect();
            Array2::from_shape_vec((rows, columns), pairs).unwrap()
        };
        let output = match &*node.op_type {
            "ReduceL2" => {
                let attributes = &node.attribute;
                assert_eq!((&*attributes[0].name, &*attributes[0].ints), ("axes", &[1][..]));
                assert_eq!((&*attributes[1].name, attributes[1].i), ("keepdims", 1));
                let length = inputs[0].map_axis(Axis(1), |row| row.dot(&row).sqrt());
                length.insert_axis(Axis(1))
            }
            "Equal" => by_pairs(|x, y| f64::from(u8::from(x == y))),
            "IsNaN" => inputs[0].mapv(|x| f64::from(u8::from(x.is_nan()))),
            "Cast" => {
                let to = &node.attribute[0];
                assert_eq!((&*to.name, to.i), ("to", FLOAT.into()));
                inputs[0].mapv(|x| f64::from(x as f32))
            }
            "Where" => {
                let one = inputs[1].broadcast(inputs[0].dim()).unwrap();
                let chosen = inputs[0].iter().zip(&one).zip(inputs[2]);
                let chosen = chosen.map(|((&x, &one), &other)| if x > 0.0 { one } else { other });
                Array2::from_shape_vec(inputs[0].dim(), chosen.collect()).unwrap()
            }
            "Div" => by_pairs(|x, y| x / y),
            "Mul" => by_pairs(|x, y| x * y),
            "Sub" => by_pairs(|x, y| x - y),
            "Add" => by_pairs(|x, y| x + y),
            "MatMul" => inputs[0].dot(inputs[1]),
            "Relu" => inputs[0].mapv(|x| x.max(0.0)),
            "Log" => inputs[0].mapv(f64::ln),
            other => panic!("{other}"),
        };
        values.insert(&node.output[0], output);
    }
    values.remove(EMBEDDING).unwrap()
}

#[test]
fn a_model_fills_and_scales_as_the_samples_of_the_run_were() {
    [false, true].into_iter().for_each(expect_prepared);
}

/// Checks the model of a run that took logarithms, or took none.
fn expect_prepared(log: bool) {
    use crate::data::{Missing, ReadOptions, Standardize, read};
    // Days since 1970 in seconds, whose steps of a second f32 does not tell, and gaps.
    let value = |row: usize| 1.7e9 + (row % 3 * 40 + row % 7) as f64;
    let gap = |row: usize| row % 11 == 4;
    let mut table = String::from("seconds,mass\n");
    for row in 0..60 {
        let mass = if gap(row) { "NA".into() } else { (row % 3 * row).to_string() };
        table += &format!("{},{mass}\n", value(row));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    std::fs::write(&path, table).unwrap();
    let mut options = ReadOptions::default();
    (options.missing, options.standardize) = (Some(Missing::Median), Some(Standardize::Robust));
    options.log = log;
    let input = read(&[path], &options).unwrap();
    let mut config = Config { objectives: vec![Objective::Labels], ..Config::default() };
    (config.clusters, config.epochs, config.hidden) = (Some(3), 1, vec![16, 8]);
    let mut trainer = Trainer::new(input.matrix(), config, Backend::Cpu).unwrap();
    trainer.advance().unwrap();
    trainer.advance().unwrap();
    let checkpoint = trainer.checkpoint();
    let recipe = input.recipe(&options);
    let model = Model::decode(&*checkpoint.to_onnx(Some(&recipe)).unwrap()).unwrap();
    let raw = Array2::from_shape_fn((60, 2), |(row, column)| match column {
        0 => value(row),
        _ if gap(row) => f64::NAN,
        _ => (row % 3 * row) as f64,
    });
    let found = run(&model, &raw);
    let go_on = &mut |_| ControlFlow::Continue(());
    let expected = embed(&checkpoint, input.matrix(), Backend::Cpu, go_on).unwrap();
    let expected = expected.mapv(f64::from);
    let furthest = (&found - &expected).iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(furthest < 1e-4, "{furthest}");
    let taken = model.graph.as_ref().unwrap().input[0].r#type.as_ref().unwrap();
    assert_eq!(taken.tensor_type.as_ref().unwrap().elem_type, DOUBLE);
    let names = model.metadata_props.iter().find(|entry| entry.key == "features").unwrap();
    assert_eq!(names.value, r#"["seconds","mass"]"#);
    let few = Array2::from_shape_fn((20, 1), |(row, _)| (row % 2 * 50 + row) as f64);
    let narrow = Trainer::new(
        few.view().into(),
        Config {
            clusters: Some(2),
            epochs: 1,
            objectives: vec![Objective::Labels],
            ..Config::default()
        },
        Backend::Cpu,
    );
    let mut narrow = narrow.unwrap();
    narrow.advance().unwrap();
    narrow.advance().unwrap();
    let other = narrow.checkpoint().to_onnx(Some(&recipe));
    assert!(matches!(other, Err(TrainError::Features { found: 2, expected: 1 })));
}

#[test]
fn a_model_computes_the_embedding() {
    [5, 90].into_iter().for_each(expect_embedded);
}

/// Checks the model of samples of so many features: of more than the 60 samples the network sees axes.
fn expect_embedded(features: usize) {
    let place = |(i, j): (usize, usize)| {
        ((i % 3) * (j % 5 + 1)) as f32 + 0.1 * ((i * j + i * i) % 7) as f32
    };
    let mut samples = Array2::from_shape_fn((60, features), place);
    samples.row_mut(7).fill(0.0);
    for (objective, metric, rectified) in [
        (Objective::Labels, Metric::Cosine, true),
        (Objective::Labels, Metric::Cosine, false),
        (Objective::Graph, Metric::Cosine, true),
        (Objective::Graph, Metric::Euclidean, true),
    ] {
        let mut config = Config { objectives: vec![objective], ..Config::default() };
        (config.input_metric, config.rectified) = (metric, rectified);
        (config.clusters, config.epochs, config.least_steps) = (Some(3), 1, Some(20));
        config.hidden = vec![16, 8];
        let mut trainer = Trainer::new(samples.view().into(), config, Backend::Cpu).unwrap();
        let untrained = trainer.checkpoint().to_onnx(None);
        assert!(matches!(untrained, Err(TrainError::Untrained)));
        trainer.advance().unwrap();
        trainer.advance().unwrap();
        let checkpoint = trainer.checkpoint();
        let model = Model::decode(&*checkpoint.to_onnx(None).unwrap()).unwrap();
        let found = run(&model, &samples.mapv(f64::from)).mapv(|x| x as f32);
        let go_on = &mut |_| ControlFlow::Continue(());
        let expected = embed(&checkpoint, samples.view().into(), Backend::Cpu, go_on).unwrap();
        assert_eq!(found.dim(), expected.dim());
        let furthest = (&found - &expected).iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        assert!(furthest < 1e-4, "{objective:?} {metric:?}: {furthest}");
    }
}
