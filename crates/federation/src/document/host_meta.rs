//! host-meta: where WebFinger is (RFC 6415). Some servers ask here first.

use super::text::escaped;
use crate::names::Names;

/// Its media type.
pub const MEDIA_TYPE: &str = "application/xrd+xml; charset=utf-8";

/// The document; `{uri}` is for the client to fill in.
pub fn document(names: &Names) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <XRD xmlns=\"http://docs.oasis-open.org/ns/xri/xrd-1.0\">\n  \
         <Link rel=\"lrdd\" type=\"application/json\" template=\"{}/.well-known/webfinger?resource={{uri}}\"/>\n\
         </XRD>\n",
        escaped(names.base())
    )
}
