//! ONNX Runtime execution providers ([`Provider`]), usable where the installed runtime includes them.

use std::fmt;
use std::str::FromStr;

use ort::ep::{self, ExecutionProvider, ExecutionProviderDispatch};
use ort::session::builder::SessionBuilder;

/// Reports an unknown provider name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown execution provider `{0}`; known providers: {known}", known = known())]
pub struct UnknownProvider(pub String);

/// An execution provider. The runtime that `make models` installs supports only the CPU. The others need a build of ONNX
/// Runtime that includes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// CPU, with the runtime's own kernels.
    Cpu,
    /// CPU, with XNNPACK: often faster on ARM.
    Xnnpack,
    /// CPU, with the Arm Compute Library.
    Acl,
    /// GPU, with CUDA.
    Cuda,
    /// GPU, with TensorRT.
    TensorRt,
    /// Intel CPUs, GPUs and accelerators, with `OpenVINO`.
    OpenVino,
    /// Apple hardware, with Core ML.
    CoreMl,
}

impl Provider {
    /// All providers.
    pub const ALL: [Provider; 7] = [
        Provider::Cpu,
        Provider::Xnnpack,
        Provider::Acl,
        Provider::Cuda,
        Provider::TensorRt,
        Provider::OpenVino,
        Provider::CoreMl,
    ];

    /// Returns its name in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Provider::Cpu => "cpu",
            Provider::Xnnpack => "xnnpack",
            Provider::Acl => "acl",
            Provider::Cuda => "cuda",
            Provider::TensorRt => "tensorrt",
            Provider::OpenVino => "openvino",
            Provider::CoreMl => "coreml",
        }
    }

    /// Returns whether the loaded runtime includes it.
    pub(super) fn is_built_in(self) -> bool {
        let is_there = match self {
            Provider::Cpu => Ok(true),
            Provider::Xnnpack => ep::XNNPACK::is_available(),
            Provider::Acl => ep::ACL::is_available(),
            Provider::Cuda => ep::CUDA::is_available(),
            Provider::TensorRt => ep::TensorRT::is_available(),
            Provider::OpenVino => ep::OpenVINO::is_available(),
            Provider::CoreMl => ep::CoreML::is_available(),
        };
        is_there.unwrap_or(false)
    }

    /// Adds it to a session, or logs why that failed.
    pub(super) fn register(self, builder: SessionBuilder) -> SessionBuilder {
        let Some(provider) = self.dispatch() else { return builder };
        if !self.is_built_in() {
            tracing::warn!("the installed ONNX Runtime lacks {self}; models run without it");
            return builder;
        }
        builder.with_execution_providers([provider.error_on_failure()]).unwrap_or_else(|error| {
            tracing::warn!("cannot start {self} ({error}); models run without it");
            error.recover()
        })
    }

    /// Returns `None` for the CPU, which is always the last provider.
    fn dispatch(self) -> Option<ExecutionProviderDispatch> {
        match self {
            Provider::Cpu => None,
            Provider::Xnnpack => Some(ep::XNNPACK::default().build()),
            Provider::Acl => Some(ep::ACL::default().build()),
            Provider::Cuda => Some(ep::CUDA::default().build()),
            Provider::TensorRt => Some(ep::TensorRT::default().build()),
            Provider::OpenVino => Some(ep::OpenVINO::default().build()),
            Provider::CoreMl => Some(ep::CoreML::default().build()),
        }
    }
}

fn known() -> String {
    Provider::ALL.map(Provider::name).join(", ")
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(name: &str) -> Result<Self, UnknownProvider> {
        Provider::ALL
            .into_iter()
            .find(|provider| provider.name() == name)
            .ok_or_else(|| UnknownProvider(name.to_owned()))
    }
}
