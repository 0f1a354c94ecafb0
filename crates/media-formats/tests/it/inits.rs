//! Init segments, read back by mp4-atom.

use bytes::Bytes;
use media_formats::cmaf::init;
use media_formats::codec::{AacConfig, AudioConfig, AvcConfig, Mp3Config, VideoConfig};
use mp4_atom::{Atom, Codec, Colr, Decode, Encode, Ftyp, Header, Moov, ReadFrom, Trak};

use crate::support::hex;

const PLAIN: &str =
    "0142c00dffe100196742c00dd901419f9f0110000003001000000303c0f142a48001000568cb83cb20";
const HIGH: &str = "0164001effe1001a6764001eacd940a02ff970110000030001000003003c0f162d9601000668ebe3cb22c0fdf8f800";
const WIDE_SAMPLES: &str =
    "0164001effe100196764001eacd940b4126c3840000003004000000c83c58b658001000668ebe3cb22c0fdf8f800";
const COLOURED: &str = "0164001effe1001e6764001eacd940a02ff97016a0202028000003000800000301e078b16cb001000668ebe3cb22c0fdf8f800";

fn video(record: &[u8]) -> Bytes {
    let config = AvcConfig::parse(Bytes::copy_from_slice(record)).unwrap();
    init::video(&VideoConfig::Avc(config))
}

fn aac(config: &str) -> Bytes {
    init::audio(&AudioConfig::Aac(AacConfig::parse(&hex(config)).unwrap()))
}

/// Reads an init segment, which must have exactly two boxes.
fn read(init: &Bytes) -> (Ftyp, Moov) {
    let mut rest = &init[..];
    let types = Ftyp::decode(&mut rest).unwrap();
    let movie = Moov::decode(&mut rest).unwrap();
    assert!(rest.is_empty(), "{} bytes are left over", rest.len());
    (types, movie)
}

fn track(init: &Bytes) -> Trak {
    let (_, mut movie) = read(init);
    assert_eq!(movie.trak.len(), 1);
    movie.trak.remove(0)
}

fn codec(init: &Bytes) -> Codec {
    let mut codecs = track(init).mdia.minf.stbl.stsd.codecs;
    assert_eq!(codecs.len(), 1);
    codecs.remove(0)
}

fn visual(record: &str) -> mp4_atom::Avc1 {
    match codec(&video(&hex(record))) {
        Codec::Avc1(entry) => entry,
        other => panic!("{other:?}"),
    }
}

fn sound(init: &Bytes) -> mp4_atom::Mp4a {
    match codec(init) {
        Codec::Mp4a(entry) => entry,
        other => panic!("{other:?}"),
    }
}

#[test]
fn names_its_brands_and_its_one_live_track() {
    for init in [video(&hex(HIGH)), aac("1190")] {
        let (types, movie) = read(&init);
        assert!(types.compatible_brands.contains(&b"cmfc".into()));
        assert!(types.compatible_brands.contains(&b"iso6".into()));
        let extends = movie.mvex.unwrap();
        assert_eq!(extends.trex.len(), 1);
        assert_eq!(extends.trex[0].track_id, 1);
        assert_eq!(extends.trex[0].default_sample_description_index, 1);
        let track = &movie.trak[0];
        assert_eq!(track.tkhd.track_id, 1);
        assert!(track.tkhd.enabled && track.tkhd.in_movie);
        assert_eq!(track.mdia.mdhd.duration, 0);
        assert_eq!(track.mdia.mdhd.language, "und");
        assert!(movie.mvhd.next_track_id > 1);
    }
}

#[test]
fn video_counts_in_ninety_thousandths_and_sound_in_samples() {
    assert_eq!(track(&video(&hex(HIGH))).mdia.mdhd.timescale, 90_000);
    assert_eq!(track(&aac("1210")).mdia.mdhd.timescale, 44_100);
    assert_eq!(track(&aac("2b920800")).mdia.mdhd.timescale, 22_050);
}

#[test]
fn the_decoder_record_is_carried_verbatim() {
    for record in [PLAIN, HIGH, WIDE_SAMPLES, COLOURED] {
        let mut written = Vec::new();
        visual(record).avcc.encode(&mut written).unwrap();
        assert_eq!(written[8..], hex(record));
        assert!(contains(&video(&hex(record)), &hex(record)));
    }
}

#[test]
fn records_with_short_length_fields_become_records_with_long_ones() {
    let mut record = hex(HIGH);
    record[4] = 0xfd;
    assert_eq!(video(&record), video(&hex(HIGH)));
}

#[test]
fn records_beyond_what_is_known_are_carried_verbatim_too() {
    let record = [hex(PLAIN), vec![0xde, 0xad, 0xbe, 0xef]].concat();
    assert!(contains(&video(&record), &record));
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}

#[test]
fn square_pictures_say_nothing_of_their_shape() {
    let entry = visual(HIGH);
    assert_eq!((entry.visual.width, entry.visual.height), (640, 360));
    assert!(entry.pasp.is_none() && entry.colr.is_none());
    let header = track(&video(&hex(HIGH))).tkhd;
    assert_eq!(
        (header.width.integer(), header.height.integer()),
        (640, 360)
    );
}

#[test]
fn other_shapes_are_described_and_shown_wider() {
    let entry = visual(WIDE_SAMPLES);
    let shape = entry.pasp.unwrap();
    assert_eq!((shape.h_spacing, shape.v_spacing), (4, 3));
    assert_eq!((entry.visual.width, entry.visual.height), (720, 576));
    let header = track(&video(&hex(WIDE_SAMPLES))).tkhd;
    assert_eq!(
        (header.width.integer(), header.height.integer()),
        (960, 576)
    );
}

#[test]
fn colours_are_described_when_the_stream_does() {
    let wanted = Colr::Nclx {
        colour_primaries: 1,
        transfer_characteristics: 1,
        matrix_coefficients: 1,
        full_range_flag: false,
    };
    assert_eq!(visual(COLOURED).colr, Some(wanted));
}

#[test]
fn aac_carries_its_configuration_verbatim() {
    let long = "118004c848002008c8200d4c61766335392e33372e31303056e500";
    for (config, channels, rate) in [
        ("1190", 2, 48_000),
        ("120856e500", 1, 44_100),
        (long, 8, 48_000),
    ] {
        let entry = sound(&aac(config));
        assert_eq!(entry.audio.channel_count, channels);
        assert_eq!(entry.audio.sample_rate.integer(), rate);
        let decoder = entry.esds.es_desc.dec_config;
        assert_eq!(decoder.object_type_indication, 0x40);
        assert_eq!(decoder.stream_type, 5);
        assert!(contains(&aac(config), &hex(config)));
        assert_eq!(decoder.dec_specific.unwrap().raw, hex(config));
    }
}

#[test]
fn a_configuration_longer_than_one_length_byte_is_read_back_whole() {
    // A channel layout with a comment of 200 letters.
    let mut config = hex("118004c80500010880");
    config.push(200);
    config.extend([b'a'; 200]);
    let init = init::audio(&AudioConfig::Aac(AacConfig::parse(&config).unwrap()));
    let decoder = sound(&init).esds.es_desc.dec_config;
    assert_eq!(decoder.dec_specific.unwrap().raw, config);
}

#[test]
fn rates_beyond_sixteen_bits_are_left_to_the_configuration() {
    let init = aac("1010");
    assert_eq!(sound(&init).audio.sample_rate.integer(), 0);
    assert_eq!(track(&init).mdia.mdhd.timescale, 96_000);
}

#[test]
fn mp3_goes_by_its_object_type_alone() {
    for (header, object_type, rate) in [("fffb9064", 0x6b, 44_100), ("fff380c4", 0x69, 22_050)] {
        let init = init::audio(&AudioConfig::Mp3(Mp3Config::parse(&hex(header)).unwrap()));
        let entry = sound(&init);
        let decoder = entry.esds.es_desc.dec_config;
        assert_eq!(decoder.object_type_indication, object_type);
        assert!(decoder.dec_specific.is_none());
        assert_eq!(entry.audio.sample_rate.integer(), rate);
    }
}

#[test]
fn box_sizes_add_up_from_end_to_end() {
    let init = video(&hex(COLOURED));
    let mut rest = &init[..];
    let mut kinds = Vec::new();
    while !rest.is_empty() {
        let header = Header::read_from(&mut rest).unwrap();
        kinds.push(header.kind);
        rest = &rest[header.size.unwrap()..];
    }
    assert_eq!(kinds, [Ftyp::KIND, Moov::KIND]);
}

#[test]
fn a_file_for_the_encoder_has_picture_and_sound_as_two_tracks() {
    let picture = AvcConfig::parse(hex(PLAIN).into()).unwrap();
    let picture = VideoConfig::Avc(picture);
    let sound = AudioConfig::Aac(AacConfig::parse(&hex("1190")).unwrap());
    let (_, movie) = read(&init::together(Some(&picture), Some(&sound)));
    let ids: Vec<u32> = movie.trak.iter().map(|one| one.tkhd.track_id).collect();
    assert_eq!(ids, [1, 2]);
    let rates = movie.trak.iter().map(|one| one.mdia.mdhd.timescale);
    assert_eq!(rates.collect::<Vec<u32>>(), [90_000, 48_000]);
    assert_eq!(movie.mvex.unwrap().trex.len(), 2);
    let (_, movie) = read(&init::together(None, Some(&sound)));
    assert_eq!(movie.trak.len(), 1);
    assert_eq!(movie.trak[0].tkhd.track_id, 2);
    let alone = init::together(Some(&picture), None);
    assert_eq!(alone, init::video(&picture));
}
