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
pub(super) struct Here(#[expect(dead_code, reason = "dropping it is the signal")] watch::Sender<()>);

/// Tells when the client has disconnected.
#[derive(Clone, Debug)]
pub(super) struct Presence(watch::Receiver<()>);

/// Returns a connected client.
pub(super) fn presence() -> (Here, Presence) {
    let (here, known) = watch::channel(());
    (Here(here), Presence(known))
}

impl Presence {
    /// Waits until the client has disconnected.
    pub(super) async fn left(mut self) {
        // No value is ever sent.
        while self.0.changed().await.is_ok() {}
    }
}

/// Attaches a [`Presence`] to an HTTP request. It lasts until the response is sent or the client has disconnected.
pub(super) async fn attended(mut request: Request, next: Next) -> Response {
    let (here, presence) = presence();
    request.extensions_mut().insert(presence);
    let (head, body) = next.run(request).await.into_parts();
    let pieces = body.into_data_stream().map(move |piece| {
        let _while_it_is_heard = &here;
        piece
    });
    Response::from_parts(head, axum::body::Body::from_stream(pieces))
}

/// An input whose end means that the client has disconnected.
pub(super) struct Attended<R> {
    input: R,
    here: Option<Here>,
}

impl<R> Attended<R> {
    pub(super) const fn new(input: R, here: Here) -> Self {
        Attended { input, here: Some(here) }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Attended<R> {
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
