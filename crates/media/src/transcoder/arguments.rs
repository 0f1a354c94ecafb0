//! ffmpeg's arguments: fixed words, and numbers from a plan.

use super::encoder::Encoder;
use super::plan::{LadderPlan, LadderSource, Rung, SoundRung};

/// The first rung comes back through this pipe, the next through the next, and the sound through the last.
pub const FIRST_PIPE: usize = 3;

/// Before everything else: quiet, and only pipes may be opened, whatever the input asks for.
static QUIET: [&str; 8] = [
    "-nostdin",
    "-hide_banner",
    "-loglevel",
    "error",
    "-filter_threads",
    "1",
    "-protocol_whitelist",
    "pipe",
];

/// The input. Frames keep their timestamps and can be as large as 8K. A decoder with frame threads would delay
/// frames; one with slice threads does not.
static READING: [&str; 11] = [
    "-copyts",
    "-max_pixels",
    "36000000",
    "-thread_type",
    "slice",
    "-analyzeduration",
    "1000000",
    "-f",
    "mp4",
    "-i",
    "pipe:0",
];

/// Each picture output has no sound, which would shift its key frames. Frames keep the source's presentation times in
/// milliseconds: by default ffmpeg puts them on a grid of the frame rate, which moves the frames of a stream that is
/// not on it. Key frames are where the source has them and nowhere else, except after minutes without one.
static PICTURE: [&str; 16] = [
    "-map",
    "0:v:0",
    "-an",
    "-sn",
    "-dn",
    "-map_metadata",
    "-1",
    "-fps_mode",
    "passthrough",
    "-enc_time_base",
    "1:1000",
    "-force_key_frames",
    "source",
    "-g",
    "9000",
    "-vf",
];

static SOUND: [&str; 10] = [
    "-map",
    "0:a:0",
    "-vn",
    "-sn",
    "-dn",
    "-map_metadata",
    "-1",
    "-c:a",
    "aac",
    "-profile:a",
];

/// An endless file: nothing in it is rewritten later, and every frame is flushed at once.
static WRITING: [&str; 6] = [
    "-flvflags",
    "no_duration_filesize+no_metadata",
    "-flush_packets",
    "1",
    "-f",
    "flv",
];

/// ffmpeg's arguments to encode a plan. Empty if the plan needs no ffmpeg.
pub fn arguments(plan: &LadderPlan, encoder: Encoder) -> Vec<String> {
    if plan.is_empty() {
        return Vec::new();
    }
    let mut words = owned(&QUIET);
    if !plan.rungs.is_empty() {
        words.extend(owned(encoder.device()));
    }
    words.extend(owned(&READING));
    let mut pipe = FIRST_PIPE;
    for rung in &plan.rungs {
        words.extend(picture(rung, encoder));
        words.extend(output(pipe));
        pipe += 1;
    }
    if let Some(rung) = &plan.sound {
        words.extend(sound(rung));
        words.extend(output(pipe));
    }
    words
}

/// ffmpeg's arguments to try an encoder on a second of a test picture. If ffmpeg succeeds, the encoder works here.
pub fn probe(encoder: Encoder) -> Vec<String> {
    let mut words = owned(&QUIET);
    words.extend(owned(encoder.device()));
    words.extend(owned(&[
        "-f",
        "lavfi",
        "-i",
        "testsrc2=size=640x360:rate=30",
        "-frames:v",
        "30",
        "-vf",
        encoder.layout(),
    ]));
    words.extend(owned(&encoder.options(0)));
    words.extend(rate('v', 800));
    words.extend(owned(&["-f", "null", "-"]));
    words
}

/// ffmpeg's arguments to encode a plan from seconds of a test picture with the size and rate of `source`, and to
/// discard the result. Everything costs what it costs on air, except reading and writing.
pub(super) fn measurement(
    plan: &LadderPlan,
    encoder: Encoder,
    source: &LadderSource,
    seconds: u32,
) -> Vec<String> {
    let mut words = owned(&QUIET);
    if !plan.rungs.is_empty() {
        words.extend(owned(encoder.device()));
    }
    let mut inputs = Vec::new();
    if let Some(picture) = &source.picture {
        let (width, height) = (picture.width, picture.height);
        let rate = (1e6 / picture.frame_us).round().clamp(1.0, 240.0);
        inputs.push(format!(
            "testsrc2=size={width}x{height}:rate={rate}:duration={seconds}[out0]"
        ));
    }
    if plan.sound.is_some() {
        let place = inputs.len();
        inputs.push(format!(
            "sine=sample_rate=48000:duration={seconds}[out{place}]"
        ));
    }
    words.extend(owned(&["-copyts", "-f", "lavfi", "-i"]));
    words.push(inputs.join(";"));
    for rung in &plan.rungs {
        // Every frame of the test picture is a key frame; on air there is one every two seconds.
        words.extend(picture(rung, encoder).into_iter().map(|word| {
            if word == "source" {
                "expr:gte(t,n_forced*2)".to_owned()
            } else {
                word.replace("key+not(", "not(")
            }
        }));
        words.extend(owned(&["-f", "null", "-"]));
    }
    if let Some(rung) = &plan.sound {
        words.extend(sound(rung));
        words.extend(owned(&["-f", "null", "-"]));
    }
    words
}

fn picture(rung: &Rung, encoder: Encoder) -> Vec<String> {
    let mut words = owned(&PICTURE);
    words.push(filters(rung, encoder));
    words.extend(owned(&encoder.options(rung.effort)));
    words.extend(rate('v', rung.kbps));
    let buffer = u64::from(rung.kbps) * 2;
    words.extend(["-maxrate".to_owned(), format!("{}k", rung.kbps)]);
    words.extend(["-bufsize".to_owned(), format!("{buffer}k")]);
    words
}

/// Key frames are always kept: rungs with fewer frames begin where all others begin.
fn filters(rung: &Rung, encoder: Encoder) -> String {
    let thinner = match rung.every {
        0 | 1 => String::new(),
        every => format!("select='key+not(mod(n,{every}))',"),
    };
    let (width, height) = (rung.width, rung.height);
    let layout = encoder.layout();
    format!("{thinner}scale=w={width}:h={height}:flags=bicubic,setsar=1,{layout}")
}

fn sound(rung: &SoundRung) -> Vec<String> {
    let mut words = owned(&SOUND);
    words.push("aac_low".into());
    words.extend(rate('a', rung.kbps));
    words.extend(["-ac".to_owned(), rung.channels.to_string()]);
    words.extend(["-ar".to_owned(), rung.rate.to_string()]);
    words
}

fn rate(kind: char, kbps: u32) -> [String; 2] {
    [format!("-b:{kind}"), format!("{kbps}k")]
}

fn output(pipe: usize) -> Vec<String> {
    let mut words = owned(&WRITING);
    words.push(format!("pipe:{pipe}"));
    words
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> LadderPlan {
        LadderPlan {
            rungs: vec![
                Rung {
                    variant: 1,
                    width: 1280,
                    height: 720,
                    every: 1,
                    kbps: 2500,
                    effort: 2,
                    has_encoded_sound: false,
                },
                Rung {
                    variant: 2,
                    width: 640,
                    height: 360,
                    every: 2,
                    kbps: 800,
                    effort: 0,
                    has_encoded_sound: true,
                },
            ],
            sound: Some(SoundRung {
                kbps: 96,
                channels: 2,
                rate: 48_000,
            }),
            offers_source: true,
            left_out: Vec::new(),
        }
    }

    /// The arguments after each occurrence of `key`.
    fn behind(words: &[String], key: &str) -> Vec<String> {
        let pairs = words.windows(2).filter(|pair| pair[0] == key);
        pairs.map(|pair| pair[1].clone()).collect()
    }

    #[test]
    fn the_whole_command_line_is_as_written_here() {
        let words = arguments(&plan(), Encoder::X264).join(" ");
        let expected = "-nostdin -hide_banner -loglevel error -filter_threads 1 -protocol_whitelist pipe \
            -copyts -max_pixels 36000000 -thread_type slice -analyzeduration 1000000 -f mp4 -i pipe:0 \
            -map 0:v:0 -an -sn -dn -map_metadata -1 -fps_mode passthrough -enc_time_base 1:1000 \
            -force_key_frames source -g 9000 -vf scale=w=1280:h=720:flags=bicubic,setsar=1,format=yuv420p \
            -c:v libx264 -preset veryfast -tune zerolatency -sc_threshold 0 -bf 0 \
            -b:v 2500k -maxrate 2500k -bufsize 5000k \
            -flvflags no_duration_filesize+no_metadata -flush_packets 1 -f flv pipe:3 \
            -map 0:v:0 -an -sn -dn -map_metadata -1 -fps_mode passthrough -enc_time_base 1:1000 \
            -force_key_frames source -g 9000 \
            -vf select='key+not(mod(n,2))',scale=w=640:h=360:flags=bicubic,setsar=1,format=yuv420p \
            -c:v libx264 -preset ultrafast -tune zerolatency -sc_threshold 0 -bf 0 \
            -b:v 800k -maxrate 800k -bufsize 1600k \
            -flvflags no_duration_filesize+no_metadata -flush_packets 1 -f flv pipe:4 \
            -map 0:a:0 -vn -sn -dn -map_metadata -1 -c:a aac -profile:a aac_low -b:a 96k -ac 2 -ar 48000 \
            -flvflags no_duration_filesize+no_metadata -flush_packets 1 -f flv pipe:5";
        assert_eq!(words, expected);
    }

    #[test]
    fn a_plan_that_encodes_nothing_asks_for_nothing() {
        assert!(arguments(&LadderPlan::default(), Encoder::X264).is_empty());
    }

    #[test]
    fn sound_alone_needs_no_device_for_pictures() {
        let plan = LadderPlan {
            rungs: Vec::new(),
            ..plan()
        };
        let words = arguments(&plan, Encoder::Vaapi);
        assert!(behind(&words, "-vaapi_device").is_empty());
        assert_eq!(words.last().unwrap(), "pipe:3");
        assert_eq!(behind(&words, "-map"), ["0:a:0"]);
    }

    #[test]
    fn every_encoder_makes_key_frames_where_the_source_has_them_and_keeps_the_order() {
        for encoder in Encoder::ALL {
            let words = arguments(&plan(), encoder);
            assert_eq!(behind(&words, "-c:v"), [encoder.name(); 2]);
            assert_eq!(behind(&words, "-force_key_frames"), ["source"; 2]);
            assert_eq!(behind(&words, "-bf"), ["0"; 2]);
            assert_eq!(behind(&words, "-protocol_whitelist"), ["pipe"]);
            let layouts = behind(&words, "-vf");
            assert!(layouts.iter().all(|all| all.ends_with(encoder.layout())));
            let first_output = words.iter().position(|word| word == "-map").unwrap();
            let input = words.iter().position(|word| word == "pipe:0").unwrap();
            assert!(input < first_output);
        }
    }

    #[test]
    fn any_effort_has_a_preset() {
        for effort in 0..=u8::MAX {
            let words = Encoder::X264.options(effort);
            let preset = words.iter().position(|word| *word == "-preset").unwrap();
            assert!(!words[preset + 1].starts_with('-'));
        }
    }

    #[test]
    fn an_encoder_is_tried_with_a_test_picture_and_no_input() {
        for encoder in Encoder::ALL {
            let words = probe(encoder);
            assert_eq!(behind(&words, "-c:v"), [encoder.name()]);
            assert_eq!(behind(&words, "-frames:v"), ["30"]);
            assert_eq!(behind(&words, "-vf"), [encoder.layout()]);
            assert_eq!(words.last().unwrap(), "-");
        }
    }

    #[test]
    fn a_measurement_encodes_what_will_be_encoded_on_air() {
        use crate::transcoder::SourcePicture;
        let source = LadderSource {
            picture: Some(SourcePicture {
                width: 1920,
                height: 1080,
                frame_us: 1e6 / 30.0,
            }),
            sound: None,
        };
        for encoder in Encoder::ALL {
            let (measured, on_air) = (
                measurement(&plan(), encoder, &source, 3),
                arguments(&plan(), encoder),
            );
            for key in ["-c:v", "-preset", "-b:v", "-c:a", "-b:a", "-map", "-tune"] {
                assert_eq!(behind(&measured, key), behind(&on_air, key), "{key}");
            }
            let input = behind(&measured, "-i").join("");
            assert!(
                input.contains("size=1920x1080:rate=30:duration=3"),
                "{input}"
            );
            let filters = behind(&measured, "-vf");
            assert!(filters[1].starts_with("select='not(mod(n,2))',scale=w=640"));
            assert!(!measured.contains(&"source".to_owned()));
        }
    }

    #[test]
    fn the_setting_names_an_encoder_or_none() {
        for encoder in Encoder::ALL {
            assert_eq!(Encoder::named(encoder.name()), Some(encoder));
        }
        assert_eq!(Encoder::named(" libx264 "), Some(Encoder::X264));
        for other in ["", "libx265", "LIBX264", "libx264 -f null", "-i"] {
            assert_eq!(Encoder::named(other), None, "{other}");
        }
    }
}
