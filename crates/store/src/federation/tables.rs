//! The handle to the tables, and the pages they are read in.

use crate::database::Store;

/// Items on a page of a collection that other servers read.
pub const PAGE_SIZE: u32 = 50;

/// Access to the federation tables: a cloneable handle.
#[derive(Clone, Debug)]
pub struct FederationTables {
    pub(crate) store: Store,
}

impl Store {
    pub fn federation(&self) -> FederationTables {
        FederationTables {
            store: self.clone(),
        }
    }
}

/// The offset of a page; pages count from 1.
pub(super) fn offset_of(page: u32) -> i64 {
    i64::from(page.saturating_sub(1)) * i64::from(PAGE_SIZE)
}
