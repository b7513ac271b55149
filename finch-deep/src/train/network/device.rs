//! The device that a network computes on.

use burn::tensor::Device;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::train::error::TrainError;

/// The device that computes the network: the processor, or a graphics card that this build knows how to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Backend {
    /// The processor.
    #[default]
    Cpu,
    /// A card by NVIDIA; needs the feature `cuda`.
    Cuda,
    /// Any card that Vulkan, Metal or DirectX drives; needs the feature `wgpu`.
    Wgpu,
}

impl Backend {
    /// The name as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Wgpu => "wgpu",
        }
    }

    /// The device, tried out.
    ///
    /// # Errors
    /// [`TrainError::Device`] if there is none, or this build does not know how to use it.
    pub(in crate::train) fn device(self) -> Result<Device, TrainError> {
        match self {
            Self::Cpu => Ok(Device::flex()),
            #[cfg(feature = "cuda")]
            Self::Cuda => tried(self, || Device::cuda(0)),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => tried(self, || Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
            #[cfg(not(all(feature = "cuda", feature = "wgpu")))]
            other => {
                let name = other.name();
                let reason = format!("this build has no {name}: build it with --features {name}");
                Err(TrainError::Device(reason))
            }
        }
    }
}

/// Computes something on a device, since drivers are first looked for then, and panic if they are
/// missing.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
fn tried(backend: Backend, device: fn() -> Device) -> Result<Device, TrainError> {
    use burn::tensor::Tensor;
    let sum = || {
        let device = device();
        let sum = Tensor::<1>::ones([2], &device).sum().into_scalar::<f32>();
        (sum == 2.0).then_some(device)
    };
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let found = std::panic::catch_unwind(sum);
    std::panic::set_hook(hook);
    let name = backend.name();
    found.ok().flatten().ok_or_else(|| {
        TrainError::Device(format!(
            "no device for {name} answers here: look at its driver, or take --backend cpu"
        ))
    })
}
