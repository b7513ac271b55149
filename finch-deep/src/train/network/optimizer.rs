//! The optimizer, and its state as bytes.

use burn::optim::decay::WeightDecayConfig;
use burn::optim::momentum::MomentumConfig;
use burn::optim::{AdamConfig, ModuleOptimizer, OptimizerRecord, SgdConfig};
use burn::tensor::Bytes;

use crate::train::config::{Config, Optimizer};
use crate::train::error::TrainError;

/// The optimizer of a configuration, before its first step.
pub(in crate::train) fn optimizer(config: &Config) -> ModuleOptimizer {
    let decay =
        (config.weight_decay > 0.0).then(|| WeightDecayConfig::new(config.weight_decay as f32));
    match config.optimizer {
        Optimizer::Sgd => {
            let momentum = (config.momentum > 0.0)
                .then(|| MomentumConfig::new().with_momentum(config.momentum).with_dampening(0.0));
            SgdConfig::new().with_momentum(momentum).with_weight_decay(decay).init()
        }
        Optimizer::Adam => AdamConfig::new().with_epsilon(1e-8).with_weight_decay(decay).init(),
    }
}

/// The state of an optimizer as bytes: the same bytes for the same state.
pub(in crate::train) fn to_bytes(optimizer: &ModuleOptimizer) -> Vec<u8> {
    let record = optimizer.to_record();
    if record.is_empty() {
        return Vec::new();
    }
    let bytes =
        |record: OptimizerRecord| record.into_bytes().expect("a record in memory serialises");
    // The optimizer hands out its tensors in the order of a hash map, which differs from process to
    // process. A record that was read again has its tensors in the order of their names.
    let sorted = OptimizerRecord::from_bytes(bytes(record)).expect("what was written can be read");
    bytes(sorted).to_vec()
}

/// An optimizer with the state that these bytes hold.
///
/// # Errors
/// [`TrainError::Device`] if the bytes are no state of an optimizer.
pub(in crate::train) fn from_bytes(
    optimizer: ModuleOptimizer,
    bytes: &[u8],
) -> Result<ModuleOptimizer, TrainError> {
    if bytes.is_empty() {
        return Ok(optimizer);
    }
    let state = Bytes::from_bytes_vec(bytes.to_vec());
    optimizer.from_bytes(state).map_err(|error| TrainError::Device(error.to_string()))
}
