//! A part of the state that all handlers share.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// State behind one pointer; cheap to clone.
///
/// The trait object is explicitly `Send + Sync`. Without `dyn`, the compiler walks through everything inside to find
/// that out, again for each handler, which took half of this crate's build time.
pub struct Shared<T>(Arc<dyn Holds<T>>);

trait Holds<T>: fmt::Debug + Send + Sync {
    fn held(&self) -> &T;
}

#[derive(Debug)]
struct Holder<T>(T);

impl<T: fmt::Debug + Send + Sync> Holds<T> for Holder<T> {
    fn held(&self) -> &T {
        &self.0
    }
}

impl<T: fmt::Debug + Send + Sync + 'static> Shared<T> {
    pub(crate) fn share(state: T) -> Self {
        Self(Arc::new(Holder(state)))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.held()
    }
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
