//! The seeds of the fuzz targets. `UPDATE_CORPUS=1` writes them; otherwise the committed files must match.

use std::collections::BTreeMap;

use testkit::replay::corpus_folder;
use testkit::rtmp::{chunks, n, null, object, s};

type Seeds = BTreeMap<&'static str, Vec<u8>>;

fn connect() -> Vec<u8> {
    let parameters = object(&[
        ("app", s("live")),
        ("type", s("nonprivate")),
        ("flashVer", s("FMLE/3.0 (compatible; Lavf59.27.100)")),
        ("tcUrl", s("rtmp://host:1935/live")),
    ]);
    [s("connect"), n(1.0), parameters].concat()
}

fn amf0_seeds() -> Seeds {
    let call = |name: &str, rest: Vec<u8>| [s(name), n(2.0), null(), rest].concat();
    let metadata = object(&[
        ("width", n(1920.0)),
        ("height", n(1080.0)),
        ("framerate", n(29.97)),
        ("videocodecid", n(7.0)),
        ("audiocodecid", s("mp4a")),
        ("stereo", b"\x01\x01".to_vec()),
        ("encoder", s("obs-output module")),
    ]);
    let ecma = [b"\x08\0\0\0\x07".to_vec(), metadata[1..].to_vec()].concat();
    let seeds: [(&str, Vec<u8>); 34] = [
        ("connect", connect()),
        ("release-stream", call("releaseStream", s("key"))),
        ("fc-publish", call("FCPublish", s("key"))),
        ("create-stream", call("createStream", vec![])),
        ("publish", call("publish", [s("key"), s("live")].concat())),
        ("publish-query", call("publish", s("key?a=b&c=/d"))),
        ("fc-unpublish", call("FCUnpublish", s("key"))),
        ("delete-stream", call("deleteStream", n(1.0))),
        ("close-stream", call("closeStream", vec![])),
        ("check-bandwidth", call("_checkbw", vec![])),
        ("stream-length", call("getStreamLength", s("key"))),
        ("play", call("play", [s("key"), n(-2000.0)].concat())),
        (
            "on-status",
            call("onStatus", object(&[("level", s("error"))])),
        ),
        ("result", [s("_result"), n(4.0), null(), n(1.0)].concat()),
        (
            "meta-set-frame",
            [s("@setDataFrame"), s("onMetaData"), ecma.clone()].concat(),
        ),
        ("meta-object", [s("onMetaData"), metadata].concat()),
        (
            "meta-no-end",
            [s("onMetaData"), ecma[..ecma.len() - 3].to_vec()].concat(),
        ),
        ("number-nan", n(f64::NAN)),
        ("number-infinite", n(f64::INFINITY)),
        ("boolean", b"\x01\x00\x01\x01".to_vec()),
        ("string-empty", s("")),
        ("string-not-text", b"\x02\0\x04a\xff\xfeb".to_vec()),
        ("string-long", b"\x0c\0\0\0\x03abc".to_vec()),
        ("string-long-lie", b"\x0c\xff\xff\xff\xffabc".to_vec()),
        ("xml", b"\x0f\0\0\0\x04<a/>".to_vec()),
        ("strict-array", b"\x0a\0\0\0\x02\x05\x06".to_vec()),
        ("strict-array-lie", b"\x0a\xff\xff\xff\xff\x05".to_vec()),
        ("date", b"\x0b\x42\x70\0\0\0\0\0\0\0\0".to_vec()),
        ("typed-object", b"\x10\0\x01T\0\x01a\x05\0\0\x09".to_vec()),
        ("undefined-unsupported", b"\x06\x0d".to_vec()),
        ("reference", b"\x07\0\x01".to_vec()),
        ("amf3", b"\x11\x0a\x0b\x01".to_vec()),
        ("nested", [b"\x0a\0\0\0\x01".repeat(9), vec![5]].concat()),
        (
            "object-in-object",
            object(&[("a", object(&[("b", null())]))]),
        ),
    ];
    seeds.into()
}

/// The first byte selects how the rest is split.
fn chunk_seeds() -> Seeds {
    let cut = |bytes: Vec<u8>| [vec![40], bytes].concat();
    let command = |body: &[u8]| chunks(128, 3, 20, 0, 0, body);
    let dialogue = [
        command(&connect()),
        command(&[s("createStream"), n(4.0), null()].concat()),
        chunks(
            128,
            8,
            20,
            0,
            1,
            &[s("publish"), n(5.0), null(), s("key"), s("live")].concat(),
        ),
        chunks(128, 6, 9, 0, 1, b"\x17\x00\0\0\0\x01\x64\0\x1f"),
        chunks(128, 4, 8, 0, 1, b"\xaf\x00\x12\x10"),
        chunks(
            128,
            6,
            9,
            33,
            1,
            &[&b"\x17\x01\0\0\0"[..], &[7; 400]].concat(),
        ),
    ]
    .concat();
    let ending = command(&[s("deleteStream"), n(7.0), null(), n(1.0)].concat());
    let audio = chunks(128, 4, 8, 1000, 1, b"\xaf\x01sound");
    let mut seeds = Seeds::new();
    for (name, bytes) in [
        ("connect", command(&connect())),
        ("dialogue", dialogue.clone()),
        (
            "dialogue-and-end",
            [dialogue.clone(), ending.clone()].concat(),
        ),
        (
            "amf3-wrapper",
            chunks(128, 3, 17, 0, 0, &[vec![0], connect()].concat()),
        ),
        (
            "play",
            command(&[s("play"), n(4.0), null(), s("key")].concat()),
        ),
        ("audio", audio.clone()),
        ("video-three-chunks", chunks(128, 6, 9, 40, 1, &[9; 300])),
        (
            "video-small-chunks",
            [
                chunks(128, 2, 1, 0, 0, &[0, 0, 0, 8]),
                chunks(8, 6, 9, 40, 1, &[9; 50]),
            ]
            .concat(),
        ),
        (
            "delta-seven",
            [audio.clone(), b"\x44\0\0\x17\0\0\x03\x08abc".to_vec()].concat(),
        ),
        (
            "delta-three",
            [audio.clone(), b"\x84\0\0\x17\xaf\x01sound".to_vec()].concat(),
        ),
        (
            "delta-none",
            [
                audio.clone(),
                b"\x84\0\0\x17\xaf\x01sound\xc4\xaf\x01sound".to_vec(),
            ]
            .concat(),
        ),
        (
            "same-time",
            [audio.clone(), b"\xc4\xaf\x01sound".to_vec()].concat(),
        ),
        ("long-time", chunks(128, 6, 9, 0x0100_0000, 1, &[9; 300])),
        ("long-time-max", chunks(128, 6, 9, u32::MAX, 1, &[9; 130])),
        (
            "long-time-edge",
            chunks(128, 6, 9, 0x00ff_ffff, 1, &[9; 130]),
        ),
        (
            "long-time-not-repeated",
            [
                chunks(128, 6, 9, 0x0100_0000, 1, &[9; 128])[..].to_vec(),
                vec![0xc6, 9],
            ]
            .concat(),
        ),
        (
            "long-delta",
            [
                audio.clone(),
                b"\x84\xff\xff\xff\x01\0\0\0\xaf\x01sound".to_vec(),
            ]
            .concat(),
        ),
        (
            "two-byte-id",
            b"\x00\x05\0\0\0\0\0\x02\x09\x01\0\0\0ab".to_vec(),
        ),
        (
            "three-byte-id",
            b"\x01\x05\x06\0\0\0\0\0\x02\x09\x01\0\0\0ab".to_vec(),
        ),
        (
            "interleaved",
            [
                chunks(128, 6, 9, 0, 1, &[9; 200])[..140].to_vec(),
                audio.clone(),
                vec![0xc6],
                vec![9; 72],
            ]
            .concat(),
        ),
        (
            "chunk-size-large",
            [
                chunks(128, 2, 1, 0, 0, &[0x7f, 0xff, 0xff, 0xff]),
                chunks(9999, 6, 9, 0, 1, &[9; 999]),
            ]
            .concat(),
        ),
        ("chunk-size-zero", chunks(128, 2, 1, 0, 0, &[0; 4])),
        ("chunk-size-short", chunks(128, 2, 1, 0, 0, &[1])),
        (
            "abort",
            [
                chunks(128, 6, 9, 0, 1, &[9; 200])[..140].to_vec(),
                chunks(128, 2, 2, 0, 0, &[0, 0, 0, 6]),
                vec![0xc6],
            ]
            .concat(),
        ),
        ("acknowledgement", chunks(128, 2, 3, 0, 0, &[0, 1, 0, 0])),
        ("ping", chunks(128, 2, 4, 0, 0, &[0, 6, 0, 0, 0, 9])),
        ("window-zero", chunks(128, 2, 5, 0, 0, &[0; 4])),
        (
            "bandwidth",
            chunks(128, 2, 6, 0, 0, &[0, 0x26, 0x25, 0xa0, 2]),
        ),
        (
            "message-too-long",
            b"\x06\0\0\0\xff\xff\xff\x09\x01\0\0\0abc".to_vec(),
        ),
        ("unknown-stream", b"\xc5abc".to_vec()),
        (
            "type-one-first",
            b"\x42\0\0\0\0\0\x06\x04\0\x06\0\0\0\x07".to_vec(),
        ),
        ("empty-message", chunks(128, 4, 8, 1, 1, b"")),
        (
            "many-streams",
            (2..20)
                .flat_map(|id| chunks(128, id, 9, 0, 1, b"x"))
                .collect(),
        ),
        (
            "header-in-message",
            [
                chunks(128, 6, 9, 0, 1, &[9; 200])[..140].to_vec(),
                audio.clone(),
                chunks(128, 6, 9, 5, 1, b"new"),
            ]
            .concat(),
        ),
        (
            "metadata",
            chunks(
                128,
                5,
                18,
                0,
                1,
                &[
                    s("@setDataFrame"),
                    s("onMetaData"),
                    object(&[("width", n(640.0))]),
                ]
                .concat(),
            ),
        ),
    ] {
        seeds.insert(name, cut(bytes));
    }
    seeds
}

/// The first byte selects video, audio, metadata or a file.
fn flv_seeds() -> Seeds {
    let file = [
        b"FLV\x01\x05\0\0\0\x09\0\0\0\0".to_vec(),
        b"\x09\0\0\x02\0\0\x28\0\0\0\0vv\0\0\0\x0d".to_vec(),
        b"\x08\0\0\x01\0\0\x28\0\0\0\0a\0\0\0\x0c".to_vec(),
    ]
    .concat();
    let metadata = [
        s("onMetaData"),
        object(&[("width", n(640.0)), ("encoder", s("x"))]),
    ]
    .concat();
    let bodies: [(&str, u8, &[u8]); 45] = [
        ("video-config", 0, b"\x17\x00\0\0\0\x01\x64\0\x1f\xff\xe1"),
        ("video-key", 0, b"\x17\x01\0\0\x21\0\0\0\x02\x65\x88"),
        ("video-inter", 0, b"\x27\x01\xff\xff\xdf\0\0\0\x02\x41\x9a"),
        ("video-end", 0, b"\x17\x02\0\0\0"),
        ("video-odd-kind", 0, b"\x17\x07"),
        ("video-command", 0, b"\x57\0"),
        ("video-generated-key", 0, b"\x47\x01\0\0\0n"),
        ("video-sorenson", 0, b"\x12x"),
        ("video-hevc-12", 0, b"\x1c\x01\0\0\0x"),
        ("video-short", 0, b"\x17\x01\0"),
        ("video-avc1-config", 0, b"\x90avc1\x01\x64"),
        ("video-avc1-frame", 0, b"\x91avc1\0\0\x21nal"),
        ("video-avc1-frame-x", 0, b"\xa3avc1nal"),
        ("video-avc1-end", 0, b"\x92avc1"),
        ("video-avc1-metadata", 0, b"\x94avc1\x02\0\x09colorInfo"),
        ("video-hvc1", 0, b"\x90hvc1\x01"),
        ("video-av01", 0, b"\x93av01\x0a"),
        ("video-one-track", 0, b"\x96\x01avc1\0\0\0\0nal"),
        (
            "video-two-tracks",
            0,
            b"\x96\x13avc1\x01\0\0\x02no\0\0\0\x03nal",
        ),
        (
            "video-mixed-tracks",
            0,
            b"\x96\x23hvc1\x01\0\0\x02noavc1\0\0\0\x03nal",
        ),
        ("video-modifier", 0, b"\x97\x02abc\x03avc1nal"),
        ("video-modifier-long", 0, b"\x97\xff\0\x02abc\x03avc1nal"),
        (
            "video-hvc1-frame",
            0,
            b"\x91hvc1\0\0\x21\0\0\0\x03\x26\x01\xaf",
        ),
        ("video-hevc-12-config", 0, b"\x1c\x00\0\0\0\x01\x01\x60"),
        ("video-av01-config", 0, b"\x90av01\x81\0\x0c\0\x0a\x0b"),
        (
            "video-vp09-config",
            0,
            b"\x90vp09\0\x0b\x82\x02\x02\x02\0\0",
        ),
        ("video-vp09-frame", 0, b"\x91vp09\x82\x49\x83\x42"),
        ("audio-opus-packet", 1, b"\x91Opus\xfc\xb4"),
        ("audio-flac-config", 1, b"\x90fLaC\x12\0\x12\0"),
        ("audio-flac-frame", 1, b"\x91fLaC\xff\xf8\x59\x88"),
        ("audio-other-track", 1, b"\x95\x01ac-3\x01dol"),
        ("audio-config", 1, b"\xaf\x00\x12\x10"),
        ("audio-aac", 1, b"\xaf\x01\x21\x10\x04"),
        ("audio-mp3", 1, b"\x2f\xff\xfb\x90\x64"),
        ("audio-mp3-8k", 1, b"\xe2\xff\xe3"),
        ("audio-speex", 1, b"\xb2x"),
        ("audio-mp4a-config", 1, b"\x90mp4a\x12\x10"),
        ("audio-mp4a", 1, b"\x91mp4aaac"),
        ("audio-opus", 1, b"\x90OpusOpusHead"),
        ("audio-channels", 1, b"\x94mp4a\x01\x02"),
        ("audio-one-track", 1, b"\x95\x01mp4a\0aac"),
        ("audio-empty", 1, b""),
        ("metadata", 2, &metadata),
        ("file", 3, &file),
        ("file-cut", 3, &file[..20]),
    ];
    let seeds = bodies.map(|(name, choice, body)| (name, [&[choice][..], body].concat()));
    seeds.into()
}

#[test]
fn the_committed_seeds_are_these() {
    let is_update = std::env::var_os("UPDATE_CORPUS").is_some();
    for (target, seeds) in [
        ("amf0", amf0_seeds()),
        ("flv_tag", flv_seeds()),
        ("rtmp_chunk", chunk_seeds()),
    ] {
        let folder = corpus_folder(target);
        if is_update {
            std::fs::create_dir_all(&folder).unwrap();
        }
        for (name, seed) in seeds {
            let file = folder.join(name);
            if is_update {
                std::fs::write(&file, &seed).unwrap();
            }
            assert_eq!(std::fs::read(&file).unwrap(), seed, "{target}/{name}");
        }
    }
}
