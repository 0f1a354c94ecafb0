//! Init segments of the codecs of Enhanced RTMP, read back by mp4-atom.

use bytes::Bytes;
use media_formats::cmaf::init;
use media_formats::codec::{
    AudioConfig, Av1Config, FlacConfig, HevcConfig, OpusConfig, VideoConfig, Vp9Config, vp9,
};
use mp4_atom::{Codec, Colr, Decode, FlacMetadataBlock, Ftyp, Moov};

use crate::support::hex;

/// Ten bits in the colours of HDR10, by x265; without the bits that declare its arrays complete.
const HEVC: &str = "01022000000090000000000078f000fcfdfafa00000f03200001001840010c01ffff0220000003009000000300000300789594092100010030420101022000000300900000030000030078a003c0801107cad965654a4c2f016a12201208000003000800000300f04022000100064401c073c189";
const AV1: &str = "81000c000a0b000000043cfeccdaf90040";
const VP9: (&str, &str) = ("000b820202020000", "824983420013f00b360638241c184a00");
const OPUS: &str = "4f707573486561640106380180bb00000000010402000401020305";
const FLAC: &str = "120012000004a30005080ac442f0000022745d105ceb212ad5d36e4f5608def3d8b7";

/// The sample entry of an init segment, and the timescale of its track.
fn entry(init: &Bytes) -> (Codec, u32) {
    let mut rest = &init[..];
    Ftyp::decode(&mut rest).unwrap();
    let mut movie = Moov::decode(&mut rest).unwrap();
    assert!(rest.is_empty(), "{} bytes are left over", rest.len());
    let media = movie.trak.remove(0).mdia;
    let mut codecs = media.minf.stbl.stsd.codecs;
    assert_eq!(codecs.len(), 1);
    (codecs.remove(0), media.mdhd.timescale)
}

fn picture(config: &VideoConfig) -> Codec {
    let (codec, timescale) = entry(&init::video(config));
    assert_eq!(timescale, 90_000);
    codec
}

#[test]
fn hevc_is_hvc1_with_complete_arrays_and_its_colours() {
    let config = HevcConfig::parse(hex(HEVC).into()).unwrap();
    let Codec::Hvc1(entry) = picture(&VideoConfig::Hevc(config)) else {
        panic!("another sample entry");
    };
    assert_eq!((entry.visual.width, entry.visual.height), (1920, 1080));
    assert_eq!(entry.hvcc.general_profile_idc, 2);
    assert_eq!(entry.hvcc.length_size_minus_one, 3);
    assert_eq!(entry.hvcc.arrays.len(), 3);
    assert!(entry.hvcc.arrays.iter().all(|array| array.completeness));
    let Some(Colr::Nclx {
        colour_primaries,
        transfer_characteristics,
        ..
    }) = entry.colr
    else {
        panic!("no colours");
    };
    assert_eq!((colour_primaries, transfer_characteristics), (9, 16));
}

#[test]
fn av1_carries_its_record_verbatim() {
    let config = Av1Config::parse(hex(AV1).into()).unwrap();
    let Codec::Av01(entry) = picture(&VideoConfig::Av1(config)) else {
        panic!("another sample entry");
    };
    assert_eq!((entry.visual.width, entry.visual.height), (320, 180));
    assert_eq!((entry.av1c.seq_profile, entry.av1c.seq_level_idx_0), (0, 0));
    assert_eq!(entry.av1c.config_obus, hex(AV1)[4..]);
}

#[test]
fn av1_is_among_the_brands_where_it_has_to_be_and_nowhere_else() {
    let brands = |init: &Bytes| Ftyp::decode(&mut &init[..]).unwrap().compatible_brands;
    let av1 = Av1Config::parse(hex(AV1).into()).unwrap();
    let hevc = HevcConfig::parse(hex(HEVC).into()).unwrap();
    let always = [b"cmfc".into(), b"iso6".into(), b"mp41".into()];
    let with_av1 = [&always[..], &[b"av01".into()]].concat();
    assert_eq!(brands(&init::video(&VideoConfig::Av1(av1))), with_av1);
    assert_eq!(brands(&init::video(&VideoConfig::Hevc(hevc))), always);
}

#[test]
fn vp9_carries_what_its_key_frame_and_its_record_say() {
    let record = vp9::Record::parse(&hex(VP9.0)).unwrap();
    let config = Vp9Config::from_frame(Some(&record), &hex(VP9.1));
    let Codec::Vp09(entry) = picture(&VideoConfig::Vp9(config.unwrap().unwrap())) else {
        panic!("another sample entry");
    };
    assert_eq!((entry.visual.width, entry.visual.height), (320, 180));
    assert_eq!((entry.vpcc.level, entry.vpcc.bit_depth), (11, 8));
}

#[test]
fn opus_carries_its_header_and_counts_in_48_kilohertz() {
    let config = OpusConfig::parse(&hex(OPUS)).unwrap();
    let (codec, timescale) = entry(&init::audio(&AudioConfig::Opus(config)));
    let Codec::Opus(entry) = codec else {
        panic!("another sample entry");
    };
    assert_eq!(timescale, 48_000);
    assert_eq!(entry.audio.channel_count, 6);
    assert_eq!(entry.audio.sample_rate.integer(), 48_000);
    assert_eq!(
        (entry.dops.pre_skip, entry.dops.input_sample_rate),
        (312, 48_000)
    );
    let mapping = entry.dops.channel_mapping.unwrap();
    assert_eq!((mapping.stream_count, mapping.coupled_count), (4, 2));
}

#[test]
fn opus_is_not_trimmed_again_because_its_stamps_count_the_priming_samples() {
    let config = OpusConfig::parse(&hex(OPUS)).unwrap();
    let init = init::audio(&AudioConfig::Opus(config));
    let mut rest = &init[..];
    Ftyp::decode(&mut rest).unwrap();
    assert_eq!(Moov::decode(&mut rest).unwrap().trak[0].edts, None);
}

#[test]
fn flac_carries_its_stream_information() {
    let config = FlacConfig::parse(&hex(FLAC)).unwrap();
    let (codec, timescale) = entry(&init::audio(&AudioConfig::Flac(config)));
    let Codec::Flac(entry) = codec else {
        panic!("another sample entry");
    };
    assert_eq!(timescale, 44_100);
    assert_eq!(
        (entry.audio.channel_count, entry.audio.sample_size),
        (2, 16)
    );
    let [FlacMetadataBlock::StreamInfo { sample_rate, .. }] = &entry.dfla.blocks[..] else {
        panic!("{:?}", entry.dfla);
    };
    assert_eq!(*sample_rate, 44_100);
}

#[test]
fn flac_beyond_what_the_entry_can_say_lists_a_regular_division_of_its_rate() {
    // The 20 bits of the rate: 96 and 192 kHz instead of 44.1.
    for rate in ["17700", "2ee00"] {
        let info = FLAC.replacen("0ac44", rate, 1);
        let config = FlacConfig::parse(&hex(&info)).unwrap();
        let (codec, timescale) = entry(&init::audio(&AudioConfig::Flac(config)));
        let Codec::Flac(entry) = codec else {
            panic!("another sample entry");
        };
        assert_eq!(timescale, u32::from_str_radix(rate, 16).unwrap());
        assert_eq!(entry.audio.sample_rate.integer(), 48_000);
    }
}
