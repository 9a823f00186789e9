//! Tracks whether the client of a call is still connected.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use futures_util::StreamExt;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

/// Lives as long as the client is connected.
pub(super) struct ConnectionGuard(
    #[expect(dead_code, reason = "dropping it is the signal")] watch::Sender<()>,
);

/// Tells when the client has disconnected.
#[derive(Clone, Debug)]
pub(super) struct Disconnected(watch::Receiver<()>);

/// Returns a connected client.
pub(super) fn connection() -> (ConnectionGuard, Disconnected) {
    let (here, known) = watch::channel(());
    (ConnectionGuard(here), Disconnected(known))
}

impl Disconnected {
    /// Waits until the client has disconnected.
    pub(super) async fn wait(mut self) {
        // No value is ever sent.
        while self.0.changed().await.is_ok() {}
    }
}

/// Attaches a [`Disconnected`] to an HTTP request. It lasts until the response is sent or the client has disconnected.
pub(super) async fn watched_input(mut request: Request, next: Next) -> Response {
    let (here, presence) = connection();
    request.extensions_mut().insert(presence);
    let (head, body) = next.run(request).await.into_parts();
    let pieces = body.into_data_stream().map(move |piece| {
        let _while_it_is_heard = &here;
        piece
    });
    Response::from_parts(head, axum::body::Body::from_stream(pieces))
}

/// An input whose end means that the client has disconnected.
pub(super) struct AttendedInput<R> {
    input: R,
    here: Option<ConnectionGuard>,
}

impl<R> AttendedInput<R> {
    pub(super) const fn new(input: R, here: ConnectionGuard) -> Self {
        AttendedInput { input, here: Some(here) }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for AttendedInput<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = Pin::new(&mut self.input).poll_read(context, buffer);
        if let Poll::Ready(read) = &read
            && (read.is_err() || (room > 0 && buffer.filled().len() == before))
        {
            self.here = None;
        }
        read
    }
}
