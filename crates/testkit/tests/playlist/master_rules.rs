//! Rule 17 on multivariant playlists.

use testkit::playlist::{Findings, Role, check_master};

use crate::scene::{edit, rules};

const GOOD: &str = "#EXTM3U
#EXT-X-VERSION:9
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"Audio\",DEFAULT=YES,AUTOSELECT=YES,URI=\"audio/stream.m3u8\"
#EXT-X-STREAM-INF:BANDWIDTH=6500000,AVERAGE-BANDWIDTH=6200000,CODECS=\"avc1.640028,mp4a.40.2\",RESOLUTION=1920x1080,FRAME-RATE=30.000,AUDIO=\"audio\"
0/stream.m3u8
";

fn broken(text: &str) -> Vec<String> {
    let mut findings = Findings::default();
    check_master(text, &mut findings);
    rules(findings.violations())
}

#[test]
fn a_complete_multivariant_playlist_passes_and_names_its_renditions() {
    let mut findings = Findings::default();
    let master = check_master(GOOD, &mut findings);
    assert!(
        findings.violations().is_empty(),
        "{:?}",
        findings.violations()
    );
    assert!(master.is_independent);
    let names: Vec<_> = master
        .renditions
        .iter()
        .map(|one| (one.uri.as_str(), one.role))
        .collect();
    assert_eq!(
        names,
        [
            ("audio/stream.m3u8", Role::Audio),
            ("0/stream.m3u8", Role::Video)
        ]
    );
}

#[test]
fn sound_alone_needs_no_resolution() {
    let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=170000,AVERAGE-BANDWIDTH=160000,CODECS=\"Opus\"\naudio.m3u8\n";
    let mut findings = Findings::default();
    let master = check_master(text, &mut findings);
    assert!(
        findings.violations().is_empty(),
        "{:?}",
        findings.violations()
    );
    assert_eq!(master.renditions[0].role, Role::Audio);
}

#[test]
fn rule_17_rejects_a_variant_that_does_not_say_what_it_is() {
    for (from, to) in [
        ("AVERAGE-BANDWIDTH=6200000,", ""),
        ("AVERAGE-BANDWIDTH=6200000", "AVERAGE-BANDWIDTH=6600000"),
        ("RESOLUTION=1920x1080,", ""),
        ("RESOLUTION=1920x1080", "RESOLUTION=0x0"),
        ("FRAME-RATE=30.000,", ""),
        ("CODECS=\"avc1.640028,mp4a.40.2\",", ""),
        ("AUDIO=\"audio\"", "AUDIO=\"sound\""),
    ] {
        assert_eq!(broken(&edit(GOOD, from, to)), ["17"], "{from} -> {to}");
    }
}

#[test]
fn rule_17_rejects_codecs_that_safari_does_not_know_by_that_name() {
    for codec in [
        "hev1.1.6.L93.B0",
        "avc1.64",
        "avc3.640028",
        "av01.0.08",
        "av01.0.8M.10",
        "hvc1",
    ] {
        assert_eq!(broken(&edit(GOOD, "avc1.640028", codec)), ["17"], "{codec}");
    }
    assert_eq!(broken(&edit(GOOD, "mp4a.40.2", "opus")), ["17"]);
    for codec in [
        "hvc1.1.6.L93.B0",
        "av01.0.08M.10",
        "av01.0.08M.10.0.110.09.16.09.0",
        "vp09.00.10.08",
    ] {
        assert!(
            broken(&edit(GOOD, "avc1.640028", codec)).is_empty(),
            "{codec}"
        );
    }
}

#[test]
fn rule_17_rejects_a_playlist_without_variant() {
    assert_eq!(broken("#EXTM3U\n#EXT-X-VERSION:9\n"), ["17"]);
}

#[test]
fn syntax_rejects_a_variant_without_address_and_a_missing_bandwidth() {
    assert!(broken(&edit(GOOD, "0/stream.m3u8\n", "")).contains(&"S".to_owned()));
    assert!(broken(&edit(GOOD, "BANDWIDTH=6500000,", "")).contains(&"S".to_owned()));
    assert!(broken(&edit(GOOD, "#EXTM3U\n", "")).contains(&"S".to_owned()));
}
