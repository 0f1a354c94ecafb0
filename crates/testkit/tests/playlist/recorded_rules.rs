//! Rules V1 to V8 on lists of recordings.

use testkit::playlist::{Findings, check_recorded, check_recorded_beside, is_recorded};

use crate::scene::{edit, rules};

const GOOD: &str = "#EXTM3U
#EXT-X-VERSION:8
#EXT-X-TARGETDURATION:2
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-MAP:URI=\"0.mp4\",BYTERANGE=\"800@0\"
#EXT-X-PROGRAM-DATE-TIME:2026-03-01T20:00:00.000Z
#EXTINF:2.0,
#EXT-X-BYTERANGE:100@800
0.mp4
#EXTINF:2.0,
#EXT-X-BYTERANGE:50@900
0.mp4
#EXT-X-PROGRAM-DATE-TIME:2026-03-01T20:00:04.000Z
#EXTINF:2.0,
#EXT-X-BYTERANGE:100@800
1.mp4
#EXT-X-GAP
#EXTINF:2.0,
gap.mp4
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI=\"2.mp4\",BYTERANGE=\"700@0\"
#EXT-X-PROGRAM-DATE-TIME:2026-03-01T20:00:08.000Z
#EXTINF:1.5,
#EXT-X-BYTERANGE:100@700
2.mp4
#EXT-X-ENDLIST
";

fn broken(text: &str) -> Vec<String> {
    let mut findings = Findings::default();
    check_recorded(text, &mut findings);
    rules(findings.violations())
}

#[test]
fn a_complete_list_of_a_recording_passes() {
    assert_eq!(broken(GOOD), [""; 0]);
    let list = check_recorded(GOOD, &mut Findings::default());
    let gaps = list.segments.iter().filter(|one| one.place.is_none());
    assert_eq!((list.segments.len(), gaps.count()), (5, 1));
    assert!(is_recorded(GOOD) && !is_recorded("#EXTM3U\n#EXTINF:2.0,\na.mp4\n"));
}

#[test]
fn rule_v1_rejects_a_list_that_is_not_complete() {
    for (old, new) in [
        ("#EXT-X-ENDLIST\n", ""),
        ("#EXT-X-PLAYLIST-TYPE:VOD", "#EXT-X-PLAYLIST-TYPE:EVENT"),
        ("SEQUENCE:0", "SEQUENCE:1"),
    ] {
        assert_eq!(broken(&edit(GOOD, old, new)), ["V1"], "{new}");
    }
}

#[test]
fn rule_v2_rejects_tags_of_live_lists() {
    let control = "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES\n#EXT-X-MEDIA-SEQUENCE";
    let text = edit(GOOD, "#EXT-X-MEDIA-SEQUENCE", control);
    assert_eq!(broken(&text), ["V2"]);
}

#[test]
fn rule_v3_rejects_a_segment_that_is_longer_than_the_target() {
    assert_eq!(broken(&edit(GOOD, "#EXTINF:1.5", "#EXTINF:2.5")), ["V3"]);
}

#[test]
fn rule_v4_rejects_ranges_that_overlap_or_leave_bytes_out() {
    for (old, new) in [
        ("50@900", "50@899"),
        ("50@900", "50@901"),
        ("#EXT-X-BYTERANGE:50@900\n", ""),
    ] {
        assert_eq!(broken(&edit(GOOD, old, new)), ["V4"], "{new}");
    }
    assert!(broken(&edit(GOOD, "50@900", "50")).contains(&"V4".to_owned()));
}

#[test]
fn rule_v5_rejects_maps_that_are_missing_or_change_unseen() {
    for (old, new) in [
        ("#EXT-X-MAP:URI=\"0.mp4\",BYTERANGE=\"800@0\"\n", ""),
        ("BYTERANGE=\"800@0\"", "BYTERANGE=\"799@1\""),
        ("BYTERANGE=\"800@0\"", "BYTERANGE=\"801@0\""),
        ("#EXT-X-DISCONTINUITY\n", ""),
    ] {
        assert_eq!(broken(&edit(GOOD, old, new)), ["V5"], "{old}");
    }
}

#[test]
fn rule_v6_rejects_a_file_that_begins_without_a_date() {
    for time in ["20:00:00", "20:00:04", "20:00:08"] {
        let line = format!("#EXT-X-PROGRAM-DATE-TIME:2026-03-01T{time}.000Z\n");
        assert_eq!(broken(&edit(GOOD, &line, "")), ["V6"], "{time}");
    }
}

#[test]
fn rule_v7_rejects_gaps_in_a_version_that_knows_none() {
    assert_eq!(broken(&edit(GOOD, "VERSION:8", "VERSION:7")), ["V7"]);
}

#[test]
fn rule_v8_rejects_renditions_with_other_entries_or_breaks() {
    let list = |text: &str| check_recorded(text, &mut Findings::default());
    let beside = |text: &str| {
        let mut findings = Findings::default();
        check_recorded_beside(&list(GOOD), &list(text), &mut findings);
        rules(findings.violations())
    };
    assert_eq!(beside(&edit(GOOD, "#EXTINF:1.5", "#EXTINF:1.521")), [""; 0]);
    for (old, new) in [
        ("#EXT-X-DISCONTINUITY\n", ""),
        ("#EXTINF:1.5", "#EXTINF:0.9"),
        ("#EXT-X-GAP\n#EXTINF:2.0,\ngap.mp4\n", ""),
    ] {
        assert!(
            beside(&edit(GOOD, old, new)).contains(&"V8".to_owned()),
            "{old}"
        );
    }
}
