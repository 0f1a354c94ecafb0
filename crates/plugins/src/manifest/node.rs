//! A value in the manifest together with its position, so that every error names it.

use std::fmt;

use serde_json::{Map, Value};

use super::ManifestError;

/// A value and its position.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> Node<'a> {
    /// A value under this name.
    pub(crate) fn named(path: impl Into<String>, value: &'a Value) -> Self {
        Self {
            path: path.into(),
            value,
        }
    }

    pub(crate) fn value(&self) -> &'a Value {
        self.value
    }

    /// An error about this value.
    pub(crate) fn refuse(&self, why: impl fmt::Display) -> ManifestError {
        ManifestError::at(&self.path, why)
    }

    /// A remark about this value, without rejecting it.
    pub(crate) fn remark(&self, what: impl fmt::Display) -> String {
        format!("{}: {what}", self.path)
    }

    pub(crate) fn text(&self) -> Result<&'a str, ManifestError> {
        self.value
            .as_str()
            .ok_or_else(|| self.refuse("must be a text"))
    }

    /// A non-empty text.
    pub(crate) fn words(&self) -> Result<&'a str, ManifestError> {
        let text = self.text()?;
        if text.trim().is_empty() {
            return Err(self.refuse("must not be empty"));
        }
        Ok(text)
    }

    pub(crate) fn flag(&self) -> Result<bool, ManifestError> {
        self.value
            .as_bool()
            .ok_or_else(|| self.refuse("must be true or false"))
    }

    /// Each member of an object; keys are in lexicographic order.
    pub(crate) fn members(&self) -> Result<Vec<(&'a str, Node<'a>)>, ManifestError> {
        let members = self.object()?.iter();
        Ok(members
            .map(|(key, value)| (key.as_str(), self.child(key, value)))
            .collect())
    }

    pub(crate) fn items(&self) -> Result<Vec<Node<'a>>, ManifestError> {
        let items = self.value.as_array();
        let items = items.ok_or_else(|| self.refuse("must be a list"))?.iter();
        Ok(items
            .enumerate()
            .map(|(index, value)| Node::named(format!("{}[{index}]", self.path), value))
            .collect())
    }

    /// A member of an object; `null` counts as absent.
    pub(crate) fn get(&self, key: &str) -> Result<Option<Node<'a>>, ManifestError> {
        let value = self.object()?.get(key).filter(|value| !value.is_null());
        Ok(value.map(|value| self.child(key, value)))
    }

    /// A required, non-empty text member.
    pub(crate) fn required_words(&self, key: &str) -> Result<&'a str, ManifestError> {
        match self.get(key)? {
            Some(node) => node.words(),
            None => Err(ManifestError::at(
                &self.below(key),
                "is missing: a text is needed here",
            )),
        }
    }

    pub(crate) fn optional_text(&self, key: &str) -> Result<Option<String>, ManifestError> {
        let node = self.get(key)?;
        node.map(|node| node.text().map(str::to_owned)).transpose()
    }

    /// Remarks on unknown members.
    pub(crate) fn strangers(&self, known: &[&str]) -> Result<Vec<String>, ManifestError> {
        let members = self.members()?.into_iter();
        Ok(members
            .filter(|(key, _)| !known.contains(key))
            .map(|(_, node)| node.remark("is unknown here and ignored"))
            .collect())
    }

    fn object(&self) -> Result<&'a Map<String, Value>, ManifestError> {
        self.value
            .as_object()
            .ok_or_else(|| self.refuse("must be an object"))
    }

    fn child(&self, key: &str, value: &'a Value) -> Node<'a> {
        Node::named(self.below(key), value)
    }

    fn below(&self, key: &str) -> String {
        let is_plain =
            !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match (self.path.is_empty(), is_plain) {
            (true, true) => key.to_owned(),
            (false, true) => format!("{}.{key}", self.path),
            // A key that is a path or contains spaces is quoted, or its end would be unclear.
            (_, false) => format!("{}[{key:?}]", self.path),
        }
    }
}
