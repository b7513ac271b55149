//! The network of a checkpoint as an ONNX model, which most programs for inference read.
//!
//! The messages are those fields of [ONNX's](https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3)
//! that such a model has, under their numbers there.

use prost::Message;

use super::checkpoint::Checkpoint;
use super::config::Objective;
use super::error::TrainError;
use crate::data::Recipe;

/// ONNX 1.12: old enough for programs of 2022, and `ReduceL2` still takes its axes as an attribute.
const OPSET: i64 = 17;
const IR_VERSION: i64 = 8;
/// `TensorProto.DataType`.
const FLOAT: i32 = 1;
const DOUBLE: i32 = 11;
/// `AttributeProto.AttributeType`.
const INTS: i32 = 7;
const INT: i32 = 2;

/// The names of what goes in, N × d, and of what comes out, N × the width of the embedding.
const SAMPLES: &str = "samples";
const EMBEDDING: &str = "embedding";

impl Checkpoint {
    /// The network as an ONNX model: `samples` (N × d) to `embedding` (f32, N × its width), with all that
    /// is done to samples before the first layer.
    ///
    /// With a recipe, samples are as they were before missing values were filled and features were
    /// scaled, and the model does both; they are f64 if it does either, since features that ask for
    /// scaling, such as dates, may differ by less than f32 tells. The names of features, where they have
    /// some, are a JSON array under `features` in the model's metadata: of a category there is a feature of
    /// 0 and 1 for each word. Without a recipe samples are f32, as they were for training.
    ///
    /// # Errors
    /// [`TrainError::Untrained`] for a network before its first epoch, [`TrainError::Features`] for a
    /// recipe of other samples.
    pub fn to_onnx(&self, recipe: Option<&Recipe>) -> Result<Vec<u8>, TrainError> {
        let (weights, learnt) = self.newest().ok_or(TrainError::Untrained)?;
        if let Some(found) = recipe.map(Recipe::features).filter(|&found| found != self.features) {
            return Err(TrainError::Features { found, expected: self.features });
        }
        let mut graph = Graph { name: "finch".into(), ..Graph::default() };
        let mut signal = SAMPLES.to_string();
        let mut element = FLOAT;
        if let Some(prepared) = recipe.and_then(|recipe| graph.prepared(&signal, recipe)) {
            (signal, element) = (prepared, DOUBLE);
        }
        let preparation = &self.preparation;
        if preparation.normalized {
            // A sample of length 0 stays as it is.
            let length = graph.node("ReduceL2", &[&signal], "length");
            graph.last().attribute = vec![
                Attribute {
                    name: "axes".into(),
                    ints: vec![1],
                    r#type: INTS,
                    ..Attribute::default()
                },
                Attribute { name: "keepdims".into(), i: 1, r#type: INT, ..Attribute::default() },
            ];
            let zero = graph.floats("zero", &[], &[0.0]);
            let one = graph.floats("one", &[], &[1.0]);
            let empty = graph.node("Equal", &[&length, &zero], "empty");
            let divisor = graph.node("Where", &[&empty, &one, &length], "divisor");
            signal = graph.node("Div", &[&signal, &divisor], "direction");
        }
        let scale = graph.floats("scale", &[], &[preparation.scale as f32]);
        signal = graph.node("Mul", &[&signal, &scale], "scaled");
        if !preparation.center.is_empty() {
            let center = graph.floats("center", &[preparation.center.len()], &preparation.center);
            signal = graph.node("Sub", &[&signal, &center], "centered");
        }
        // Of a network that has learnt labels the output layer is not part of the embedding.
        let last = match learnt {
            Objective::Labels => weights.len() - 1,
            Objective::Graph => weights.len(),
        };
        for (number, [weight, bias]) in weights[..last].iter().enumerate() {
            let floats = |data: &burn::tensor::TensorData| data.iter::<f32>().collect::<Vec<_>>();
            let name = |what: &str| format!("layer.{number}.{what}");
            let weight = graph.floats(&name("weight"), weight.shape(), &floats(weight));
            let bias = graph.floats(&name("bias"), bias.shape(), &floats(bias));
            signal = graph.node("MatMul", &[&signal, &weight], &name("product"));
            signal = graph.node("Add", &[&signal, &bias], &name("sum"));
            let end = number + 1 == last;
            if !end || learnt == Objective::Labels && self.config.rectified {
                signal = graph.node("Relu", &[&signal], &name("rectified"));
            }
        }
        graph.last().output = vec![EMBEDDING.into()];
        let width = weights[last - 1][0].shape()[1];
        graph.input = vec![Value::matrix(SAMPLES, element, self.features)];
        graph.output = vec![Value::matrix(EMBEDDING, FLOAT, width)];
        let names = recipe.and_then(Recipe::names).map(|names| Entry {
            key: "features".into(),
            value: serde_json::to_string(&names).expect("texts serialise"),
        });
        let metric = self.config.metric(learnt);
        let model = Model {
            ir_version: IR_VERSION,
            opset_import: vec![Opset { version: OPSET }],
            producer_name: "finch".into(),
            producer_version: env!("CARGO_PKG_VERSION").into(),
            graph: Some(graph),
            metadata_props: [Entry { key: "metric".into(), value: metric.name().into() }]
                .into_iter()
                .chain(names)
                .collect(),
        };
        Ok(model.encode_to_vec())
    }
}

#[derive(Clone, PartialEq, Message)]
struct Model {
    #[prost(int64, tag = "1")]
    ir_version: i64,
    #[prost(string, tag = "2")]
    producer_name: String,
    #[prost(string, tag = "3")]
    producer_version: String,
    #[prost(message, optional, tag = "7")]
    graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    opset_import: Vec<Opset>,
    #[prost(message, repeated, tag = "14")]
    metadata_props: Vec<Entry>,
}

/// `OperatorSetIdProto`, of the operators that ONNX defines.
#[derive(Clone, PartialEq, Message)]
struct Opset {
    #[prost(int64, tag = "2")]
    version: i64,
}

/// `StringStringEntryProto`.
#[derive(Clone, PartialEq, Message)]
struct Entry {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct Graph {
    #[prost(message, repeated, tag = "1")]
    node: Vec<Node>,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, repeated, tag = "5")]
    initializer: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    input: Vec<Value>,
    #[prost(message, repeated, tag = "12")]
    output: Vec<Value>,
}

impl Graph {
    /// Adds an operation; the name of what comes out.
    fn node(&mut self, operation: &str, inputs: &[&str], output: &str) -> String {
        self.node.push(Node {
            input: inputs.iter().map(|&name| name.into()).collect(),
            output: vec![output.into()],
            name: output.into(),
            op_type: operation.into(),
            attribute: Vec::new(),
        });
        output.into()
    }

    /// The operation that was added last.
    fn last(&mut self) -> &mut Node {
        self.node.last_mut().expect("a network has a layer")
    }

    /// Fills and scales samples (f64) as a recipe does, in f64; the name of the result, in f32. None if
    /// nothing was done.
    fn prepared(&mut self, samples: &str, recipe: &Recipe) -> Option<String> {
        let crate::data::Preparation { fill, shift, scale, .. } = recipe.preparation();
        let fills = fill.iter().any(|fill| !fill.is_nan());
        let scales = shift.iter().any(|&shift| shift != 0.0) || scale.iter().any(|&by| by != 1.0);
        let mut signal = samples.to_string();
        if fills {
            let fill = self.doubles("fill", &fill);
            let missing = self.node("IsNaN", &[&signal], "missing");
            signal = self.node("Where", &[&missing, &fill, &signal], "filled");
        }
        if scales {
            let (shift, scale) =
                (self.doubles("column.shift", &shift), self.doubles("column.scale", &scale));
            signal = self.node("Sub", &[&signal, &shift], "column.shifted");
            signal = self.node("Div", &[&signal, &scale], "column.scaled");
        }
        if !fills && !scales {
            return None;
        }
        signal = self.node("Cast", &[&signal], "prepared");
        let to =
            Attribute { name: "to".into(), i: FLOAT.into(), r#type: INT, ..Attribute::default() };
        self.last().attribute = vec![to];
        Some(signal)
    }

    /// Adds a constant for each feature; its name.
    fn doubles(&mut self, name: &str, values: &[f64]) -> String {
        self.initializer.push(Tensor {
            dims: vec![values.len() as i64],
            data_type: DOUBLE,
            name: name.into(),
            raw_data: values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        });
        name.into()
    }

    /// Adds a constant of this shape; its name.
    fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        self.initializer.push(Tensor {
            dims: shape.iter().map(|&length| length as i64).collect(),
            data_type: FLOAT,
            name: name.into(),
            raw_data: values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        });
        name.into()
    }
}

#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(string, repeated, tag = "1")]
    input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    output: Vec<String>,
    #[prost(string, tag = "3")]
    name: String,
    #[prost(string, tag = "4")]
    op_type: String,
    #[prost(message, repeated, tag = "5")]
    attribute: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int64, tag = "3")]
    i: i64,
    #[prost(int64, repeated, tag = "8")]
    ints: Vec<i64>,
    #[prost(int32, tag = "20")]
    r#type: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Tensor {
    #[prost(int64, repeated, tag = "1")]
    dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    data_type: i32,
    #[prost(string, tag = "8")]
    name: String,
    #[prost(bytes = "vec", tag = "9")]
    raw_data: Vec<u8>,
}

/// `ValueInfoProto`.
#[derive(Clone, PartialEq, Message)]
struct Value {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    r#type: Option<Type>,
}

impl Value {
    /// N × `width` numbers; N is whatever is given.
    fn matrix(name: &str, elem_type: i32, width: usize) -> Self {
        let rows = Dimension { size: Some(Size::Parameter("N".into())) };
        let columns = Dimension { size: Some(Size::Value(width as i64)) };
        let shape = Some(Shape { dim: vec![rows, columns] });
        let tensor_type = Some(TensorType { elem_type, shape });
        Self { name: name.into(), r#type: Some(Type { tensor_type }) }
    }
}

#[derive(Clone, PartialEq, Message)]
struct Type {
    #[prost(message, optional, tag = "1")]
    tensor_type: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
struct TensorType {
    #[prost(int32, tag = "1")]
    elem_type: i32,
    #[prost(message, optional, tag = "2")]
    shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
struct Shape {
    #[prost(message, repeated, tag = "1")]
    dim: Vec<Dimension>,
}

#[derive(Clone, PartialEq, Message)]
struct Dimension {
    #[prost(oneof = "Size", tags = "1, 2")]
    size: Option<Size>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Size {
    #[prost(int64, tag = "1")]
    Value(i64),
    #[prost(string, tag = "2")]
    Parameter(String),
}

#[cfg(test)]
mod tests {
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
            let inputs: Vec<&Array2<f64>> =
                node.input.iter().map(|name| &values[&**name]).collect();
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
                    let chosen =
                        chosen.map(|((&x, &one), &other)| if x > 0.0 { one } else { other });
                    Array2::from_shape_vec(inputs[0].dim(), chosen.collect()).unwrap()
                }
                "Div" => by_pairs(|x, y| x / y),
                "Mul" => by_pairs(|x, y| x * y),
                "Sub" => by_pairs(|x, y| x - y),
                "Add" => by_pairs(|x, y| x + y),
                "MatMul" => inputs[0].dot(inputs[1]),
                "Relu" => inputs[0].mapv(|x| x.max(0.0)),
                other => panic!("{other}"),
            };
            values.insert(&node.output[0], output);
        }
        values.remove(EMBEDDING).unwrap()
    }

    #[test]
    fn a_model_fills_and_scales_as_the_samples_of_the_run_were() {
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
        (options.missing, options.standardize) = (Missing::Median, Standardize::Robust);
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
        let place =
            |(i, j): (usize, usize)| ((i % 3) * (j + 1)) as f32 + 0.1 * ((i * j) % 7) as f32;
        let mut samples = Array2::from_shape_fn((60, 5), place);
        samples.row_mut(7).fill(0.0);
        for (objective, metric, rectified) in [
            (Objective::Labels, Metric::Cosine, true),
            (Objective::Labels, Metric::Cosine, false),
            (Objective::Graph, Metric::Cosine, true),
            (Objective::Graph, Metric::Euclidean, true),
        ] {
            let mut config = Config { objectives: vec![objective], ..Config::default() };
            (config.input_metric, config.rectified) = (metric, rectified);
            (config.clusters, config.epochs, config.least_steps) = (Some(3), 1, 20);
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
}
