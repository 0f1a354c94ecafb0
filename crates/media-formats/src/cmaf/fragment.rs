//! Fragments: one `moof` that describes samples and one `mdat` that holds them.
//!
//! This is the hot path of the server, so a fragment is one allocation of the exact size and one copy of each
//! sample. Redundant columns are left out: a value that all samples share is written once.

use bytes::{BufMut, Bytes, BytesMut};

use super::{Sample, Track};

/// Flags of a track's header in a fragment.
mod header {
    /// Offsets count from the start of the fragment.
    pub(super) const BASE_IS_MOOF: u32 = 0x02_0000;
    /// The track has no samples here.
    pub(super) const DURATION_IS_EMPTY: u32 = 0x01_0000;
    /// A duration and flags for samples without their own.
    pub(super) const DEFAULTS: u32 = 0x28;
}

/// Fields that a run of samples may have.
mod field {
    pub(super) const DATA_OFFSET: u32 = 0x001;
    pub(super) const FIRST_FLAGS: u32 = 0x004;
    pub(super) const DURATIONS: u32 = 0x100;
    pub(super) const SIZES: u32 = 0x200;
    pub(super) const FLAGS: u32 = 0x400;
    pub(super) const COMPOSITIONS: u32 = 0x800;
}

/// Sizes of boxes, in bytes.
mod size {
    /// The size and kind of any box.
    pub(super) const BOX: usize = 8;
    pub(super) const MFHD: usize = 16;
    pub(super) const TFHD: usize = 16;
    pub(super) const TFHD_DEFAULTS: usize = 8;
    pub(super) const TFDT: usize = 20;
    /// A run with its count and offset, before the samples' fields.
    pub(super) const TRUN: usize = 20;
}

/// Writes one fragment that begins at `decode_time`, in the track's units.
///
/// Without samples it marks the track as empty for this time, which keeps a rendition without content in step.
/// The samples together must be smaller than 4 GiB, which a part of a stream is by far.
#[must_use]
pub fn write(sequence: u32, decode_time: u64, kind: Track, samples: &[Sample]) -> Bytes {
    write_as(Track::ID, sequence, decode_time, kind, samples)
}

/// The same for a file that begins with [`super::init::together`].
#[must_use]
pub fn write_together(sequence: u32, decode_time: u64, kind: Track, samples: &[Sample]) -> Bytes {
    write_as(kind.id_together(), sequence, decode_time, kind, samples)
}

fn write_as(id: u32, sequence: u32, decode_time: u64, kind: Track, samples: &[Sample]) -> Bytes {
    let plan = FragmentPlan::new(id, kind, samples);
    let moof_bytes = plan.moof_bytes();
    let payload: usize = samples.iter().map(|sample| sample.data.len()).sum();
    let total = moof_bytes + size::BOX + payload;
    let mut out = BytesMut::with_capacity(total);
    open(&mut out, moof_bytes, b"moof");
    open(&mut out, size::MFHD, b"mfhd");
    out.put_u32(0);
    out.put_u32(sequence);
    open(&mut out, plan.traf_bytes(), b"traf");
    plan.put_track_header(&mut out);
    open(&mut out, size::TFDT, b"tfdt");
    out.put_u32(1 << 24); // version 1: 64 bits of time
    out.put_u64(decode_time);
    plan.put_run(&mut out, moof_bytes + size::BOX);
    open(&mut out, size::BOX + payload, b"mdat");
    for sample in samples {
        out.put_slice(&sample.data);
    }
    debug_assert_eq!(out.len(), total);
    out.freeze()
}

/// The fields that the run needs, and the values written once for all samples.
#[derive(Debug)]
struct FragmentPlan<'a> {
    id: u32,
    kind: Track,
    samples: &'a [Sample],
    fields: u32,
    default_duration: u32,
    default_flags: u32,
}

impl<'a> FragmentPlan<'a> {
    fn new(id: u32, kind: Track, samples: &'a [Sample]) -> Self {
        let mut fields = field::DATA_OFFSET | field::SIZES;
        let default_duration = samples.first().map_or(0, |sample| sample.duration);
        if samples.iter().any(|s| s.duration != default_duration) {
            fields |= field::DURATIONS;
        }
        // A group of pictures usually has one sync sample and many others, so the second sample's flags are the
        // default.
        let default_flags = samples
            .get(1)
            .or(samples.first())
            .map_or(0, |sample| flags(kind, sample));
        let differs = |sample: &Sample| flags(kind, sample) != default_flags;
        if samples.iter().skip(1).any(differs) {
            fields |= field::FLAGS;
        } else if samples.first().is_some_and(differs) {
            fields |= field::FIRST_FLAGS;
        }
        if samples.iter().any(|sample| sample.composition != 0) {
            fields |= field::COMPOSITIONS;
        }
        Self {
            id,
            kind,
            samples,
            fields,
            default_duration,
            default_flags,
        }
    }

    fn has(&self, field: u32) -> bool {
        self.fields & field != 0
    }

    fn moof_bytes(&self) -> usize {
        size::BOX + size::MFHD + self.traf_bytes()
    }

    fn traf_bytes(&self) -> usize {
        let always = size::BOX + size::TFHD + size::TFDT;
        if self.samples.is_empty() {
            return always;
        }
        always + size::TFHD_DEFAULTS + self.run_bytes()
    }

    fn run_bytes(&self) -> usize {
        let columns = [
            field::DURATIONS,
            field::SIZES,
            field::FLAGS,
            field::COMPOSITIONS,
        ];
        let per_sample = 4 * columns.iter().filter(|column| self.has(**column)).count();
        let first_flags = if self.has(field::FIRST_FLAGS) { 4 } else { 0 };
        size::TRUN + first_flags + per_sample * self.samples.len()
    }

    fn put_track_header(&self, out: &mut BytesMut) {
        if self.samples.is_empty() {
            open(out, size::TFHD, b"tfhd");
            out.put_u32(header::BASE_IS_MOOF | header::DURATION_IS_EMPTY);
            out.put_u32(self.id);
            return;
        }
        open(out, size::TFHD + size::TFHD_DEFAULTS, b"tfhd");
        out.put_u32(header::BASE_IS_MOOF | header::DEFAULTS);
        out.put_u32(self.id);
        out.put_u32(self.default_duration);
        out.put_u32(self.default_flags);
    }

    fn put_run(&self, out: &mut BytesMut, data_offset: usize) {
        let Some(first) = self.samples.first() else {
            return;
        };
        open(out, self.run_bytes(), b"trun");
        out.put_u32(1 << 24 | self.fields); // version 1: signed composition offsets
        out.put_u32(narrow(self.samples.len()));
        out.put_u32(narrow(data_offset));
        if self.has(field::FIRST_FLAGS) {
            out.put_u32(flags(self.kind, first));
        }
        for sample in self.samples {
            if self.has(field::DURATIONS) {
                out.put_u32(sample.duration);
            }
            out.put_u32(narrow(sample.data.len()));
            if self.has(field::FLAGS) {
                out.put_u32(flags(self.kind, sample));
            }
            if self.has(field::COMPOSITIONS) {
                out.put_i32(sample.composition);
            }
        }
    }
}

fn flags(kind: Track, sample: &Sample) -> u32 {
    const DEPENDS_ON_NONE: u32 = 0x0200_0000;
    const DEPENDS_ON_OTHERS_AND_NO_SYNC: u32 = 0x0101_0000;
    if kind == Track::Audio || sample.is_sync {
        DEPENDS_ON_NONE
    } else {
        DEPENDS_ON_OTHERS_AND_NO_SYNC
    }
}

fn open(out: &mut BytesMut, size: usize, kind: &[u8; 4]) {
    out.put_u32(narrow(size));
    out.put_slice(kind);
}

/// Sizes are 32 bits in a fragment; see [`write()`] for why they fit.
fn narrow(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}
