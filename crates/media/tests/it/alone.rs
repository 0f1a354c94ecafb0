//! What is measured against time: nothing else runs beside these.

mod measure;
