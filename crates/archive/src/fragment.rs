//! Finds the fragments in a chunk without an index. Pure: it reads whatever it is given, and trusts none of it.

/// Bytes of a box's size and kind.
pub(crate) const BOX_BYTES: usize = 8;
/// No `moof` of ours is nearly as large.
const MAX_MOOF_BYTES: u64 = 16 * 1024 * 1024;

/// The size and kind at the beginning of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoxHead {
    /// With its head.
    pub(crate) len: u64,
    pub(crate) kind: [u8; 4],
}

/// What a `moof` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoofFacts {
    /// Decode time of its first sample, in the units of its track.
    pub(crate) decode_time: u64,
    /// Of all its samples together, in the same units.
    pub(crate) duration: u64,
    /// Whether its first sample needs no other.
    pub(crate) is_sync: bool,
}

impl BoxHead {
    /// `None` if it is cut, or has a size that none of our boxes has.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (size, rest) = bytes.split_first_chunk::<4>()?;
        let (kind, _) = rest.split_first_chunk::<4>()?;
        let len = u64::from(u32::from_be_bytes(*size));
        (len >= BOX_BYTES as u64).then_some(Self { len, kind: *kind })
    }

    /// Whether it is a `moof` of a size that can be read into memory.
    pub(crate) fn is_moof(self) -> bool {
        self.kind == *b"moof" && self.len <= MAX_MOOF_BYTES
    }
}

/// The boxes inside another one, up to the first that is cut.
fn children(bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let head = BoxHead::parse(rest)?;
        let len = usize::try_from(head.len).ok()?;
        let (whole, after) = rest.split_at_checked(len)?;
        rest = after;
        Some((head.kind, whole.get(BOX_BYTES..)?))
    })
}

fn child<'a>(bytes: &'a [u8], kind: &[u8; 4]) -> Option<&'a [u8]> {
    children(bytes).find_map(|(found, inside)| (found == *kind).then_some(inside))
}

/// Bytes of the init segment at the beginning of a chunk, and the units per second of its track.
pub(crate) fn init_of(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut len = 0_u64;
    loop {
        let at = usize::try_from(len).ok()?;
        let rest = bytes.get(at..)?;
        let head = BoxHead::parse(rest)?;
        len = len.checked_add(head.len)?;
        if head.kind == *b"moov" {
            let moov = rest.get(BOX_BYTES..usize::try_from(head.len).ok()?)?;
            let media = child(child(moov, b"trak")?, b"mdia")?;
            let timescale = timescale(child(media, b"mdhd")?)?;
            return Some((u32::try_from(len).ok()?, timescale));
        }
        if head.kind == *b"moof" || head.kind == *b"mdat" {
            return None;
        }
    }
}

fn timescale(mdhd: &[u8]) -> Option<u32> {
    // Version 1 has longer times.
    let at = match mdhd.first()? {
        1 => 20,
        _ => 12,
    };
    let units = number(mdhd.get(at..)?)?;
    (units > 0).then_some(units)
}

/// Reads what is inside a `moof`.
pub(crate) fn moof_facts(moof: &[u8]) -> Option<MoofFacts> {
    let track = child(moof, b"traf")?;
    let (mut default_duration, mut default_flags) = (0, 0);
    let tfhd = child(track, b"tfhd")?;
    let fields = number(tfhd)? & 0x00ff_ffff;
    let mut rest = tfhd.get(8..)?;
    for (bit, size) in [(0x1, 8), (0x2, 4), (0x8, 4), (0x10, 4), (0x20, 4)] {
        if fields & bit == 0 {
            continue;
        }
        match bit {
            0x8 => default_duration = number(rest)?,
            0x20 => default_flags = number(rest)?,
            _ => {}
        }
        rest = rest.get(size..)?;
    }
    let tfdt = child(track, b"tfdt")?;
    let decode_time = match tfdt.first()? {
        1 => u64::from_be_bytes(*tfdt.get(4..)?.first_chunk()?),
        _ => u64::from(number(tfdt.get(4..)?)?),
    };
    let mut facts = MoofFacts {
        decode_time,
        duration: 0,
        is_sync: false,
    };
    let mut is_first = true;
    for (_, run) in children(track).filter(|(kind, _)| kind == b"trun") {
        add_run(
            &mut facts,
            run,
            default_duration,
            default_flags,
            &mut is_first,
        )?;
    }
    Some(facts)
}

fn add_run(
    facts: &mut MoofFacts,
    run: &[u8],
    default_duration: u32,
    default_flags: u32,
    is_first: &mut bool,
) -> Option<()> {
    let fields = number(run)? & 0x00ff_ffff;
    let count = number(run.get(4..)?)?;
    let mut rest = run.get(8..)?;
    let mut first_flags = None;
    if fields & 0x1 != 0 {
        rest = rest.get(4..)?;
    }
    if fields & 0x4 != 0 {
        first_flags = Some(number(rest)?);
        rest = rest.get(4..)?;
    }
    if fields & 0xf00 == 0 {
        // Nothing follows for each of them, so their number can be anything.
        let duration = u64::from(count) * u64::from(default_duration);
        facts.duration = facts.duration.saturating_add(duration);
        if count > 0 && std::mem::take(is_first) {
            facts.is_sync = is_sync(first_flags.unwrap_or(default_flags));
        }
        return Some(());
    }
    for _ in 0..count {
        let mut duration = default_duration;
        let mut flags = first_flags.take().unwrap_or(default_flags);
        for bit in [0x100, 0x200, 0x400, 0x800] {
            if fields & bit == 0 {
                continue;
            }
            let value = number(rest)?;
            rest = rest.get(4..)?;
            match bit {
                0x100 => duration = value,
                0x400 => flags = value,
                _ => {}
            }
        }
        facts.duration = facts.duration.saturating_add(u64::from(duration));
        if std::mem::take(is_first) {
            facts.is_sync = is_sync(flags);
        }
    }
    Some(())
}

fn is_sync(flags: u32) -> bool {
    flags & 0x0001_0000 == 0
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.first_chunk()?))
}

#[cfg(test)]
pub(crate) mod samples {
    fn boxed(kind: &[u8; 4], inside: &[&[u8]]) -> Vec<u8> {
        let inside = inside.concat();
        let mut bytes = u32::try_from(inside.len() + 8)
            .unwrap()
            .to_be_bytes()
            .to_vec();
        bytes.extend(kind);
        bytes.extend(inside);
        bytes
    }

    /// An init segment that counts in thousandths.
    pub(crate) fn init() -> Vec<u8> {
        let mut times = vec![0; 12];
        times.extend(1000_u32.to_be_bytes());
        times.extend([0; 8]);
        let mdhd = boxed(b"mdhd", &[&times]);
        let media = boxed(b"mdia", &[&mdhd]);
        let track = boxed(b"trak", &[&media]);
        let moov = boxed(b"moov", &[&track]);
        [boxed(b"ftyp", &[b"cmf2"]), moov].concat()
    }

    /// A fragment of two samples of 250 thousandths each.
    pub(crate) fn fragment(decode_time: u64, is_sync: bool, payload: &[u8]) -> Vec<u8> {
        let mut header = 0x0002_0028_u32.to_be_bytes().to_vec();
        header.extend(1_u32.to_be_bytes());
        header.extend(250_u32.to_be_bytes());
        header.extend(0x0001_0000_u32.to_be_bytes());
        let mut time = vec![1, 0, 0, 0];
        time.extend(decode_time.to_be_bytes());
        let fields = 0x205_u32;
        let mut run = fields.to_be_bytes().to_vec();
        run.extend(2_u32.to_be_bytes());
        run.extend(0_u32.to_be_bytes());
        run.extend(u32::from(!is_sync).wrapping_mul(0x0001_0000).to_be_bytes());
        run.extend(u32::try_from(payload.len()).unwrap().to_be_bytes());
        run.extend(0_u32.to_be_bytes());
        let track = boxed(
            b"traf",
            &[
                &boxed(b"tfhd", &[&header]),
                &boxed(b"tfdt", &[&time]),
                &boxed(b"trun", &[&run]),
            ],
        );
        let moof = boxed(b"moof", &[&boxed(b"mfhd", &[&[0; 8]]), &track]);
        [moof, boxed(b"mdat", &[payload])].concat()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::samples::{fragment, init};
    use super::*;

    fn facts(bytes: &[u8]) -> Option<MoofFacts> {
        let head = BoxHead::parse(bytes)?;
        assert!(head.is_moof());
        moof_facts(bytes.get(BOX_BYTES..usize::try_from(head.len).ok()?)?)
    }

    #[test]
    fn an_init_segment_tells_its_length_and_its_units() {
        let init = init();
        let len = u32::try_from(init.len()).unwrap();
        assert_eq!(init_of(&init), Some((len, 1000)));
        let chunk = [init, fragment(0, true, b"payload")].concat();
        assert_eq!(init_of(&chunk), Some((len, 1000)));
        assert_eq!(init_of(&fragment(0, true, b"payload")), None);
    }

    #[test]
    fn a_fragment_tells_when_it_begins_and_how_long_it_lasts() {
        for is_sync in [true, false] {
            let expected = MoofFacts {
                decode_time: u64::MAX - 7,
                duration: 500,
                is_sync,
            };
            let bytes = fragment(u64::MAX - 7, is_sync, b"payload");
            assert_eq!(facts(&bytes), Some(expected));
        }
    }

    proptest! {
        #[test]
        fn whatever_is_in_a_file_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = init_of(&bytes);
            let _ = moof_facts(&bytes);
        }

        #[test]
        fn a_flipped_bit_of_a_fragment_does_no_harm(bit in 0_usize..800) {
            let mut bytes = fragment(7, true, b"payload");
            let bit = bit % (bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            let _ = moof_facts(bytes.get(8..).unwrap_or_default());
        }
    }
}
