//! What a model can run on besides the processor, where the installed runtime was built with it.

use std::fmt;
use std::str::FromStr;

use ort::ep::{self, ExecutionProvider, ExecutionProviderDispatch};
use ort::session::builder::SessionBuilder;

/// A name that is none of a provider's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is nothing that a model runs on; known are {known}", known = known())]
pub struct UnknownProvider(pub String);

/// What a model runs on. The runtime that `make models` installs has the processor alone; for the others it takes a build of
/// ONNX Runtime that has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// The processor, as the runtime uses it by itself.
    Cpu,
    /// The processor, by XNNPACK: often faster on ARM.
    Xnnpack,
    /// The processor, by the Arm Compute Library.
    Acl,
    /// A graphics card, by CUDA.
    Cuda,
    /// A graphics card, by TensorRT.
    TensorRt,
    /// Intel's processors, graphics and accelerators, by `OpenVINO`.
    OpenVino,
    /// Apple's, by Core ML.
    CoreMl,
}

impl Provider {
    /// All of them.
    pub const ALL: [Provider; 7] = [
        Provider::Cpu,
        Provider::Xnnpack,
        Provider::Acl,
        Provider::Cuda,
        Provider::TensorRt,
        Provider::OpenVino,
        Provider::CoreMl,
    ];

    /// Its name in the configuration.
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

    /// Whether the loaded runtime was built with it.
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

    /// Adds it to a session, or tells the log why not.
    pub(super) fn register(self, builder: SessionBuilder) -> SessionBuilder {
        let Some(provider) = self.dispatch() else { return builder };
        if !self.is_built_in() {
            tracing::warn!("the installed ONNX Runtime was built without {self}; models run without it");
            return builder;
        }
        builder.with_execution_providers([provider.error_on_failure()]).unwrap_or_else(|error| {
            tracing::warn!("{self} does not come up ({error}); models run without it");
            error.recover()
        })
    }

    /// None for the processor, which is always the last.
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
