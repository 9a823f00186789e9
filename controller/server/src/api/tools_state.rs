//! The state that the routes about tools share.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use firmware_bridge::control_loop::ControlLoopHandle;
use minismith_runtime::config::Config;
use minismith_toolchain::workshop::registry::{Registry, RegistryError};
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::ApiError;
use super::request_queue::RequestQueue;

/// The state that the handlers share.
pub(super) struct Shop {
    pub(super) queue: RequestQueue,
    pub(super) control_loop: ControlLoopHandle,
    pub(super) config: Arc<Config>,
}

pub(super) type Answer<T> = Result<Json<T>, ApiError>;

impl Shop {
    /// Reads or changes the registry on a blocking thread.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Registry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Answer<T> {
        let config = self.config.clone();
        let asked = tokio::task::spawn_blocking(move || ask(&Registry::of(&config)?)).await;
        let lost = |_| ApiError::new(StatusCode::CONFLICT, "the response was lost; send the request again");
        Ok(Json(asked.map_err(lost)??))
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// The version. Default: the current one.
    #[param(minimum = 1)]
    pub(super) version: Option<u32>,
}
