//! ffmpeg and ffprobe, which are independent of our code.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Runs a tool in `folder` and returns its output; any error output fails the test.
pub(crate) fn run(folder: &Path, tool: &str, arguments: &[&str]) -> String {
    let output = Command::new(tool)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("{tool} is needed on the path: {error}"));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && complaint.is_empty(),
        "{tool} {arguments:?}: {complaint}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The one stream of a file as ffprobe describes it.
pub(crate) fn stream(folder: &Path, file: &str) -> Value {
    let text = run(
        folder,
        "ffprobe",
        &["-v", "error", "-show_streams", "-of", "json", file],
    );
    let mut probed: Value = serde_json::from_str(&text).unwrap();
    let streams = probed["streams"].as_array_mut().unwrap();
    assert_eq!(streams.len(), 1);
    streams.remove(0)
}

/// A packet as reported by ffprobe, without its duration, which ffprobe guesses from the bit stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    pub(crate) decode: i64,
    pub(crate) show: i64,
    pub(crate) size: usize,
    pub(crate) is_key: bool,
}

/// Every packet of a file.
pub(crate) fn packets(folder: &Path, file: &str) -> Vec<Packet> {
    let text = run(
        folder,
        "ffprobe",
        &["-v", "error", "-show_packets", "-of", "json", file],
    );
    let probed: Value = serde_json::from_str(&text).unwrap();
    let packets = probed["packets"].as_array().unwrap();
    packets
        .iter()
        .map(|packet| Packet {
            decode: packet["dts"].as_i64().unwrap(),
            show: packet["pts"].as_i64().unwrap(),
            size: packet["size"].as_str().unwrap().parse().unwrap(),
            is_key: packet["flags"].as_str().unwrap().starts_with('K'),
        })
        .collect()
}

/// The digest of every decoded frame, in presentation order, without timestamps.
pub(crate) fn decoded(folder: &Path, file: &str, stream: &str) -> Vec<String> {
    let arguments = [
        "-v", "error", "-nostdin", "-i", file, "-map", stream, "-f", "framemd5", "-",
    ];
    let text = run(folder, "ffmpeg", &arguments);
    let digests: Vec<String> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.rsplit(',').next().unwrap().trim().to_owned())
        .collect();
    assert!(!digests.is_empty(), "{file} decodes to nothing");
    digests
}
