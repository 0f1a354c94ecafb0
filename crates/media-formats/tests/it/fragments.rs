//! Fragments, read back by mp4-atom.

use bytes::Bytes;
use media_formats::cmaf::{Sample, Track, fragment};
use mp4_atom::{Decode, Header, Mdat, Moof, ReadFrom, Traf, TrunEntry};
use proptest::prelude::*;

const SYNC: u32 = 0x0200_0000;
const OTHER: u32 = 0x0101_0000;

fn sample(size: usize, duration: u32, composition: i32, is_sync: bool) -> Sample {
    let fill = u8::try_from(size % 251).unwrap();
    Sample {
        data: Bytes::from(vec![fill; size]),
        duration,
        composition,
        is_sync,
    }
}

/// Reads one fragment, which must have exactly two boxes.
fn read(fragment: &[u8]) -> (Moof, Vec<u8>) {
    let mut rest = fragment;
    let moof = Moof::decode(&mut rest).unwrap();
    let data = Mdat::decode(&mut rest).unwrap();
    assert!(rest.is_empty(), "{} bytes are left over", rest.len());
    (moof, data.data)
}

fn only_track(moof: Moof) -> Traf {
    let mut tracks = moof.traf;
    assert_eq!(tracks.len(), 1);
    tracks.remove(0)
}

/// What a player reads for each sample: duration, offset, flags, and its bytes.
fn resolved(written: &[u8]) -> Vec<(u32, i64, u32, Vec<u8>)> {
    let (moof, _) = read(written);
    let track = only_track(moof);
    let header = track.tfhd;
    assert!(header.default_base_is_moof && header.base_data_offset.is_none());
    let mut samples = Vec::new();
    for run in &track.trun {
        let mut at = usize::try_from(run.data_offset.unwrap()).unwrap();
        for entry in run.samples.iter() {
            let size = entry.size.or(header.default_sample_size).unwrap();
            let end = at + usize::try_from(size).unwrap();
            samples.push((
                entry.duration.or(header.default_sample_duration).unwrap(),
                entry.cts.unwrap_or(0),
                entry.flags.or(header.default_sample_flags).unwrap(),
                written[at..end].to_vec(),
            ));
            at = end;
        }
    }
    samples
}

fn columns(written: &[u8]) -> Vec<TrunEntry> {
    let track = only_track(read(written).0);
    track.trun[0].samples.iter().collect()
}

#[test]
fn counts_fragments_and_begins_where_it_is_told() {
    let time = (1 << 40) + 7;
    let written = fragment::write(77, time, Track::Video, &[sample(9, 3_000, 0, true)]);
    let (moof, data) = read(&written);
    assert_eq!(moof.mfhd.sequence_number, 77);
    let track = only_track(moof);
    assert_eq!(track.tfdt.unwrap().base_media_decode_time, time);
    assert_eq!(track.tfhd.track_id, 1);
    assert!(!track.tfhd.duration_is_empty);
    assert_eq!(data, [9; 9]);
}

#[test]
fn sound_of_equal_frames_says_only_their_sizes() {
    let samples = [
        sample(5, 1024, 0, true),
        sample(8, 1024, 0, true),
        sample(1, 1024, 0, true),
    ];
    let written = fragment::write(1, 0, Track::Audio, &samples);
    for entry in columns(&written) {
        assert!(entry.size.is_some());
        assert_eq!((entry.duration, entry.flags, entry.cts), (None, None, None));
    }
    let header = only_track(read(&written).0).tfhd;
    assert_eq!(header.default_sample_duration, Some(1024));
    assert_eq!(header.default_sample_flags, Some(SYNC));
}

#[test]
fn sound_is_a_place_to_start_whatever_is_said_of_it() {
    let written = fragment::write(1, 0, Track::Audio, &[sample(5, 1024, 0, false)]);
    assert_eq!(resolved(&written)[0].2, SYNC);
}

#[test]
fn a_group_of_pictures_says_once_that_its_first_is_a_place_to_start() {
    let samples = [
        sample(900, 3_000, 0, true),
        sample(90, 3_000, 0, false),
        sample(80, 3_000, 0, false),
    ];
    let written = fragment::write(1, 0, Track::Video, &samples);
    let entries = columns(&written);
    assert_eq!(entries[0].flags, Some(SYNC));
    assert_eq!((entries[1].flags, entries[2].flags), (None, None));
    assert!(
        entries
            .iter()
            .all(|entry| entry.cts.is_none() && entry.duration.is_none())
    );
    let header = only_track(read(&written).0).tfhd;
    assert_eq!(header.default_sample_flags, Some(OTHER));
}

#[test]
fn without_samples_the_track_is_said_to_be_empty() {
    for kind in [Track::Video, Track::Audio] {
        let written = fragment::write(3, 90_000, kind, &[]);
        let (moof, data) = read(&written);
        assert!(data.is_empty());
        let track = only_track(moof);
        assert!(track.tfhd.duration_is_empty && track.tfhd.default_base_is_moof);
        assert!(track.trun.is_empty());
        assert_eq!(track.tfdt.unwrap().base_media_decode_time, 90_000);
    }
}

#[test]
fn box_sizes_add_up_from_end_to_end() {
    let samples = [
        sample(300, 3_000, 6_000, true),
        sample(2, 2_970, -3_000, false),
    ];
    let written = fragment::write(1, 5, Track::Video, &samples);
    let mut rest = &written[..];
    let moof = Header::read_from(&mut rest).unwrap().size.unwrap();
    rest = &rest[moof..];
    let mdat = Header::read_from(&mut rest).unwrap().size.unwrap();
    assert_eq!(mdat, 302);
    assert_eq!(written.len(), 8 + moof + 8 + mdat);
}

fn any_sample() -> impl Strategy<Value = Sample> {
    let duration = prop_oneof![3 => Just(3_000), 1 => any::<u32>()];
    let composition = prop_oneof![2 => Just(0), 1 => any::<i32>()];
    (0_usize..400, duration, composition, any::<bool>()).prop_map(
        |(size, duration, composition, is_sync)| sample(size, duration, composition, is_sync),
    )
}

#[test]
fn in_a_file_with_both_the_sound_is_the_second_track() {
    let samples = [sample(7, 960, 0, true)];
    let (alone, together) = (
        fragment::write(3, 48_000, Track::Audio, &samples),
        fragment::write_together(3, 48_000, Track::Audio, &samples),
    );
    assert_eq!(only_track(read(&alone).0).tfhd.track_id, 1);
    assert_eq!(only_track(read(&together).0).tfhd.track_id, 2);
    assert_eq!(resolved(&alone), resolved(&together));
    let picture = fragment::write_together(3, 90_000, Track::Video, &samples);
    assert_eq!(picture, fragment::write(3, 90_000, Track::Video, &samples));
}

proptest! {
    #[test]
    fn every_sample_is_read_back_as_it_was_given(
        sequence in any::<u32>(),
        time in any::<u64>(),
        is_video in any::<bool>(),
        samples in prop::collection::vec(any_sample(), 0..20),
    ) {
        let kind = if is_video { Track::Video } else { Track::Audio };
        let written = fragment::write(sequence, time, kind, &samples);
        let (moof, data) = read(&written);
        prop_assert_eq!(moof.mfhd.sequence_number, sequence);
        let track = only_track(moof);
        prop_assert_eq!(track.tfdt.unwrap().base_media_decode_time, time);
        let wanted: Vec<_> = samples
            .iter()
            .map(|sample| {
                let flags = if sample.is_sync || !is_video { SYNC } else { OTHER };
                (sample.duration, i64::from(sample.composition), flags, sample.data.to_vec())
            })
            .collect();
        prop_assert_eq!(resolved(&written), wanted);
        let payload: Vec<u8> = samples.iter().flat_map(|sample| sample.data.to_vec()).collect();
        prop_assert_eq!(data, payload);
    }
}
