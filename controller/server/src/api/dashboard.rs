//! The dashboard: a single page, built from `controller/dashboard` and embedded in the program.
//!
//! It needs no token, because it is the same for every client and contains no data of the robot. Its requests to the API pass
//! the gate like any other. Its content security policy permits only its own scripts and forbids embedding in other pages,
//! which prevents clickjacking.

use std::io::Read;

use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
    VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use rust_embed::RustEmbed;

use super::refuse;

/// The built files; those that have a gzip copy, as that copy alone.
#[derive(RustEmbed)]
#[folder = "../dashboard/dist"]
#[exclude = "*.css"]
#[exclude = "*.html"]
#[exclude = "*.js"]
#[exclude = "*.svg"]
#[exclude = "*.webmanifest"]
struct Built;

/// The entry file.
const FIRST: &str = "index.html";

/// The content security policy: everything from this server, and connections to the servers of other robots.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; \
                      connect-src 'self' ws: wss: http: https:; object-src 'none'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Returns a file of the dashboard, or 404.
pub(super) async fn file(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if !method.is_safe() {
        return unknown();
    }
    let name = if path.is_empty() { FIRST } else { path };
    let accepts = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut response = match (Built::get(&format!("{name}.gz")), Built::get(name)) {
        (Some(packed), _) if takes_gzip(accepts) => {
            ([(CONTENT_ENCODING, "gzip")], Body::from(packed.data)).into_response()
        }
        (Some(packed), _) => {
            let mut plain = Vec::new();
            match GzDecoder::new(&*packed.data).read_to_end(&mut plain) {
                Ok(_) => Body::from(plain).into_response(),
                Err(_) => return unknown(),
            }
        }
        (None, Some(plain)) => Body::from(plain.data).into_response(),
        (None, None) if name == FIRST => return not_built(),
        (None, None) => return unknown(),
    };
    // The names of assets contain a hash of their content.
    let stored = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let reported = response.headers_mut();
    for (header, value) in [
        (CONTENT_TYPE, kind(name)),
        (CACHE_CONTROL, stored),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (VARY, "accept-encoding"),
    ] {
        reported.insert(header, HeaderValue::from_static(value));
    }
    response
}

/// Returns whether a client accepts gzip.
fn takes_gzip<'a>(mut accepts: impl Iterator<Item = &'a str>) -> bool {
    let is_gzip = |coding: &str| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        let refused =
            quality.trim().strip_prefix("q=").is_some_and(|quality| quality.trim().parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    };
    accepts.any(|codings| codings.split(',').any(is_gzip))
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" | "webmanifest" => "application/json",
        "woff2" => "font/woff2",
        "png" => "image/png",
        _ => "application/octet-stream",
    }
}

fn not_built() -> Response {
    refuse(
        StatusCode::NOT_FOUND,
        "no dashboard: this build does not contain it; run `make build`, which needs Node 18 or later or fetches it; \
         the API is described at /docs",
    )
}

fn unknown() -> Response {
    refuse(
        StatusCode::NOT_FOUND,
        "unknown path: see /docs or /api/v1/openapi.json for our own API; there are also /mcp, /v1/chat/completions, and the official daemon's /api and /ws/sdk",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_gzip_with_a_nonzero_quality() {
        for (accepts, takes) in [
            ("gzip, deflate, br, zstd", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0, br", false),
            ("br", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip([accepts].into_iter()), takes, "{accepts}");
        }
    }
}
