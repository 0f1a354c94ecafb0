//! Tests that measure time: nothing else runs beside them.

mod measure;
