//! Defines [`LocalExchange`], the connection to the model on this computer, whose process it starts when it is needed.

use std::sync::Arc;

use serde_json::Value;

use super::Watch;
use super::error::EndpointError;
use super::reply::Reply;
use super::transport::{Exchange, MAX_REPLY_BYTES, ReadTimeouts, ResponseReader, longest_text};
use minismith_local_model::{ModelServer, ServerError};
use minismith_runtime::net::http::Timeouts;

/// The connection to the local model.
pub(super) struct LocalExchange(pub(super) Arc<ModelServer>);

impl Exchange for LocalExchange {
    fn check(&self) -> Result<(), EndpointError> {
        self.0
            .check()
            .map_err(|error| EndpointError::Local { reason: error.to_string(), may_pass: error.may_pass() })
    }

    fn exchange(
        &mut self,
        request: &Value,
        limits: ReadTimeouts,
        hear: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<Reply, EndpointError> {
        // The key changes with each process, and nobody else knows it.
        let hide = |text: &str| text.to_owned();
        let mut reader = ResponseReader::new(longest_text(request), &hide, hear);
        let timeouts = Timeouts { whole: limits.whole, silence: limits.silence, bytes: MAX_REPLY_BYTES };
        match self.0.complete(request, timeouts, &mut |chunk| reader.take(chunk)) {
            Ok(()) => reader.end(Ok(())),
            Err(ServerError::Transfer(error)) => reader.end(Err(error)),
            Err(error) => {
                // What was heard before is no answer, unless the listener cancelled.
                match reader.end(Ok(())) {
                    Err(EndpointError::GivenUp) => Err(EndpointError::GivenUp),
                    _ => Err(EndpointError::Local { reason: error.to_string(), may_pass: error.may_pass() }),
                }
            }
        }
    }
}
