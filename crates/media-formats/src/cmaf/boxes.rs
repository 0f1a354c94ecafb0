//! Nested boxes: a buffer that fills in the sizes by itself.

use bytes::{BufMut, Bytes, BytesMut};

#[derive(Debug, Default)]
pub(super) struct Boxes {
    out: BytesMut,
}

impl Boxes {
    pub(super) fn finish(self) -> Bytes {
        self.out.freeze()
    }

    /// Writes a box around the output of `body`.
    pub(super) fn plain(&mut self, kind: &[u8; 4], body: impl FnOnce(&mut Self)) {
        let start = self.out.len();
        self.u32(0);
        self.slice(kind);
        body(self);
        // Init segments are a few hundred bytes and bounded by the configuration inside them.
        let size = u32::try_from(self.out.len() - start).unwrap_or(u32::MAX);
        if let Some(field) = self.out.get_mut(start..start + 4) {
            field.copy_from_slice(&size.to_be_bytes());
        }
    }

    /// Writes a box that begins with a version and flags.
    pub(super) fn full(
        &mut self,
        kind: &[u8; 4],
        version: u8,
        flags: u32,
        body: impl FnOnce(&mut Self),
    ) {
        self.plain(kind, |boxes| {
            boxes.u32(u32::from(version) << 24 | flags);
            body(boxes);
        });
    }

    pub(super) fn slice(&mut self, bytes: &[u8]) {
        self.out.put_slice(bytes);
    }

    pub(super) fn zeros(&mut self, count: usize) {
        self.out.put_bytes(0, count);
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.out.put_u8(value);
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.out.put_u16(value);
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.out.put_u32(value);
    }
}
