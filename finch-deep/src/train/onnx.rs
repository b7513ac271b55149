//! The network of a checkpoint as an ONNX model, which most programs for inference read.
//!
//! The messages are those fields of [ONNX's](https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3)
//! that such a model has, under their numbers there.

use prost::Message;

use super::config::Objective;
use super::error::TrainError;
use super::rounds::checkpoint::Checkpoint;
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
        if let Some(axes) = &preparation.axes {
            let axes = axes.t();
            let values: Vec<f32> = axes.iter().copied().collect();
            let axes = graph.floats("axes", axes.shape(), &values);
            signal = graph.node("MatMul", &[&signal, &axes], "along_axes");
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
        let crate::data::Preparation { log, fill, shift, scale } = recipe.preparation();
        let logs = log.contains(&true);
        let fills = fill.iter().any(|fill| !fill.is_nan());
        let scales = shift.iter().any(|&shift| shift != 0.0) || scale.iter().any(|&by| by != 1.0);
        let mut signal = samples.to_string();
        if logs {
            // log(1 + x) of some features, and x of the others: log(1 + x·m) + x·(1 − m) with a mask m of 0 and 1.
            let mask: Vec<f64> = log.iter().map(|&log| f64::from(u8::from(log))).collect();
            let others: Vec<f64> = mask.iter().map(|mask| 1.0 - mask).collect();
            let one = self.doubles("column.one", &vec![1.0; mask.len()]);
            let (mask, others) =
                (self.doubles("column.logged", &mask), self.doubles("column.others", &others));
            let masked = self.node("Mul", &[&signal, &mask], "column.masked");
            let above = self.node("Add", &[&masked, &one], "column.above");
            let logarithm = self.node("Log", &[&above], "column.logarithm");
            let rest = self.node("Mul", &[&signal, &others], "column.rest");
            signal = self.node("Add", &[&logarithm, &rest], "column.with.logarithms");
        }
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
        if !logs && !fills && !scales {
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
mod tests;
