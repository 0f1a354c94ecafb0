//! Decodes pictures with a program that is independent of our code.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// A completely decoded picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedPicture {
    /// ffprobe's name: `mjpeg`, `gif`.
    pub codec: String,
    pub width: u64,
    pub height: u64,
    /// One, unless it is animated.
    pub frames: usize,
}

/// Decodes a file; panics if it is not a valid picture.
pub fn decode(bytes: &[u8]) -> DecodedPicture {
    let mut tool = Command::new("ffprobe")
        .args(["-v", "error", "-count_frames", "-show_entries"])
        .args(["stream=codec_name,width,height,nb_read_frames", "-of"])
        .args(["json", "-i", "pipe:0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ffprobe is needed on the path");
    let mut stdin = tool.stdin.take().expect("a pipe");
    stdin.write_all(bytes).expect("a tool that reads");
    drop(stdin);
    let output = tool.wait_with_output().expect("a tool that ends");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "no picture: {complaint}");
    assert!(complaint.is_empty(), "a damaged picture: {complaint}");
    let probed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let stream = &probed["streams"][0];
    let number = |name: &str| stream[name].as_u64().unwrap_or_default();
    let frames = stream["nb_read_frames"].as_str().unwrap_or_default();
    DecodedPicture {
        codec: stream["codec_name"].as_str().unwrap_or_default().to_owned(),
        width: number("width"),
        height: number("height"),
        frames: frames.parse().unwrap_or_default(),
    }
}
