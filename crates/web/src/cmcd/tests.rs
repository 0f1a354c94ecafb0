use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn a_report_says_the_same_in_every_notation() {
    let expected = CmcdReport {
        session: Some("a,b".into()),
        sequence: Some(7),
        state: Some("playing"),
        throughput_kbps: Some(4200.0),
        latency_seconds: Some(2.5),
        download_seconds: Some(0.25),
        errors: 3,
        quality_changes: 0,
    };
    let json = json!({
        "v": 2, "sid": "a,b", "sn": 7, "sta": "p", "mtp": [4200, 128], "ltc": 2500, "ttlb": 250,
        "bs": true, "ec": ["404", "x"],
    });
    assert_eq!(
        from_json(json.to_string().as_bytes()),
        Ok(vec![expected.clone()])
    );
    let list = r#"bs,ec=("404" "x"),ltc=2500,mtp=(4200;v 128;a),sid="a,b",sn=7,sta=p,ttlb=250,v=2"#;
    assert_eq!(from_list(list), Some(expected.clone()));
    assert_eq!(from_lines(&format!("{list}\n\nnothing\n")), [expected]);
}

#[test]
fn what_is_no_report_is_not_taken_for_one() {
    for bad in [
        "",
        "{",
        "{}",
        "[]",
        "[{}]",
        "7",
        "[7]",
        "null",
        r#"{"x":1}"#,
    ] {
        assert!(from_json(bad.as_bytes()).is_err(), "{bad}");
    }
    for bad in ["", ",,,", "x=1", "=5", "\"bs", "sid=\"never ends"] {
        assert_eq!(from_list(bad), None, "{bad}");
    }
}

#[test]
fn numbers_are_bounded_and_hostile_values_ignored() {
    let read = |text: &str| from_list(text).unwrap();
    assert_eq!(read("mtp=1e300").throughput_kbps, Some(MAX_NUMBER));
    assert_eq!(read("mtp=-5").throughput_kbps, Some(0.0));
    assert_eq!(read("mtp=NaN,v=1").throughput_kbps, None);
    assert_eq!(read("sta=<script>").state, None);
    assert_eq!(read("e=e").errors, 1);
    assert_eq!(read("e=bc").quality_changes, 1);
    assert_eq!(read("bs=?0").errors, 0);
    let many = format!("ec=({})", "\"x\" ".repeat(1000));
    assert_eq!(read(&many).errors, 16);
    let many = format!("[{}]", vec![r#"{"v":2}"#; 500].join(","));
    assert_eq!(from_json(many.as_bytes()).unwrap().len(), MAX_REPORTS);
}

proptest! {
    #[test]
    fn json_and_list_agree(kbps in 0u32..2_000_000_000, latency in 0u32..100_000, sid in "[ -~]{0,40}", starved: bool) {
        let json = json!({ "mtp": kbps, "ltc": latency, "sid": sid, "bs": starved });
        let from_json = from_json(json.to_string().as_bytes()).unwrap();
        let quoted = sid.replace('\\', "\\\\").replace('"', "\\\"");
        let flag = if starved { ",bs" } else { "" };
        let list = format!("sid=\"{quoted}\",mtp={kbps},ltc={latency}{flag}");
        prop_assert_eq!(from_list(&list), Some(from_json[0].clone()));
    }

    #[test]
    fn nothing_anybody_sends_does_harm(text in "\\PC{0,200}") {
        crate::fuzzing::cmcd(text.as_bytes());
    }
}
