//! Named shapes and references to them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::route::Shape;

#[derive(Debug, Default)]
pub(super) struct Components(BTreeMap<String, Value>);

impl Components {
    /// A reference to a shape, which is registered together with all its parts.
    pub(super) fn refer(&mut self, shape: Shape) -> Value {
        let name = (shape.name)();
        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
        let mut named = vec![(name, (shape.schema)())];
        named.append(&mut (shape.parts)());
        for (name, schema) in named {
            if let Some(known) = self.0.get(&name) {
                debug_assert_eq!(*known, schema, "two different shapes are called {name}");
            }
            self.0.insert(name, schema);
        }
        reference
    }

    pub(super) fn finish(self) -> BTreeMap<String, Value> {
        self.0
    }
}
