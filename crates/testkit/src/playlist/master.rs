//! Rule 17: the multivariant playlist tells a player everything before it fetches anything else.

use super::observation::Role;
use super::rule::{Findings, Rule};
use super::second_opinion::check_second_opinion;
use super::tags::{Attributes, seconds};

const RULE: Rule = Rule::List(17);

/// The parts of the multivariant playlist that a checker needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Master {
    /// Whether EXT-X-INDEPENDENT-SEGMENTS is present.
    pub is_independent: bool,
    /// Variants and sound, each playlist once, in order of appearance.
    pub renditions: Vec<Rendition>,
}

/// A media playlist named in the multivariant playlist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendition {
    /// As written.
    pub uri: String,
    pub role: Role,
}

impl Master {
    fn add(&mut self, uri: &str, role: Role) {
        if !self.renditions.iter().any(|known| known.uri == uri) {
            self.renditions.push(Rendition {
                uri: uri.to_owned(),
                role,
            });
        }
    }
}

/// Parses and checks a multivariant playlist. Whether EXT-X-INDEPENDENT-SEGMENTS must be present is decided
/// by [`super::Checker::finish`], which knows the segments.
pub fn check_master(text: &str, findings: &mut Findings) -> Master {
    check_second_opinion(text, findings);
    let first = text.lines().next();
    findings.check_at(Rule::Syntax, 1, first == Some("#EXTM3U"), || {
        "the first line is not #EXTM3U".to_owned()
    });
    let mut master = Master::default();
    let mut groups: Vec<&str> = Vec::new();
    let mut used_groups: Vec<(usize, &str)> = Vec::new();
    let mut variant: Option<(usize, Role)> = None;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        if let Some((_, role)) = variant.filter(|_| !line.is_empty() && !line.starts_with('#')) {
            master.add(line, role);
            variant = None;
            continue;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let result = match name {
            "#EXT-X-INDEPENDENT-SEGMENTS" => {
                master.is_independent = true;
                Ok(())
            }
            "#EXT-X-MEDIA" => {
                sound(line_number, value, &mut master, findings).map(|group| groups.extend(group))
            }
            "#EXT-X-STREAM-INF" => stream(line_number, value, findings).map(|(role, group)| {
                variant = Some((line_number, role));
                used_groups.extend(group.map(|group| (line_number, group)));
            }),
            "#EXTINF" | "#EXT-X-TARGETDURATION" => Err("a tag of a media playlist".to_owned()),
            _ => Ok(()),
        };
        let error = result.err().unwrap_or_default();
        findings.check_at(Rule::Syntax, line_number, error.is_empty(), || {
            format!("{error}: {line}")
        });
    }
    findings.check(Rule::Syntax, variant.is_none(), || {
        "EXT-X-STREAM-INF without URI".to_owned()
    });
    for (line, group) in used_groups {
        findings.check_at(RULE, line, groups.contains(&group), || {
            format!("there is no EXT-X-MEDIA of group {group:?}")
        });
    }
    findings.check(RULE, !master.renditions.is_empty(), || {
        "no variant at all".to_owned()
    });
    master
}

/// EXT-X-MEDIA; returns its group if it is audio.
fn sound<'a>(
    line: usize,
    value: &'a str,
    master: &mut Master,
    findings: &mut Findings,
) -> Result<Option<&'a str>, String> {
    let attributes = Attributes::parse(value)?;
    let group = Attributes::required(attributes.quoted("GROUP-ID")?, "GROUP-ID")?;
    Attributes::required(attributes.quoted("NAME")?, "NAME")?;
    if attributes.plain("TYPE")? != Some("AUDIO") {
        return Ok(None);
    }
    // Without URI, the sound is in the variant itself.
    if let Some(uri) = attributes.quoted("URI")? {
        findings.check_at(RULE, line, !uri.is_empty(), || {
            "EXT-X-MEDIA with an empty URI".to_owned()
        });
        master.add(uri, Role::Audio);
    }
    Ok(Some(group))
}

/// EXT-X-STREAM-INF; returns its role and its audio group.
fn stream<'a>(
    line: usize,
    value: &'a str,
    findings: &mut Findings,
) -> Result<(Role, Option<&'a str>), String> {
    let attributes = Attributes::parse(value)?;
    let bandwidth = attributes.integer("BANDWIDTH")?;
    let average = attributes.integer("AVERAGE-BANDWIDTH")?;
    let codecs = attributes.quoted("CODECS")?;
    let mut require = |ok: bool, text: &str| findings.check_at(RULE, line, ok, || text.to_owned());
    require(
        bandwidth.is_some_and(|rate| rate > 0),
        "BANDWIDTH is missing or zero",
    );
    require(
        average.is_some_and(|rate| rate > 0),
        "AVERAGE-BANDWIDTH is missing or zero",
    );
    require(average <= bandwidth, "AVERAGE-BANDWIDTH is above BANDWIDTH");
    require(
        codecs.is_some_and(|codecs| !codecs.is_empty()),
        "CODECS is missing",
    );
    let codecs: Vec<&str> = codecs
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .collect();
    let is_video = codecs.iter().any(|codec| is_picture(codec)) || codecs == [""];
    if is_video {
        let resolution = attributes
            .plain("RESOLUTION")?
            .and_then(|text| text.split_once('x'));
        let is_size =
            resolution.is_some_and(|(width, height)| is_positive(width) && is_positive(height));
        require(is_size, "RESOLUTION is missing or no size");
        let rate = attributes.plain("FRAME-RATE")?.map(seconds);
        let is_rate = matches!(rate, Some(Ok(rate)) if !rate.is_zero());
        require(is_rate, "FRAME-RATE is missing or no number");
    }
    for codec in codecs.into_iter().filter(|codec| !codec.is_empty()) {
        let fault = codec_fault(codec);
        findings.check_at(RULE, line, fault.is_none(), || {
            format!("codec {codec}: {}", fault.unwrap_or_default())
        });
    }
    let role = if is_video { Role::Video } else { Role::Audio };
    Ok((role, attributes.quoted("AUDIO")?))
}

fn is_positive(text: &str) -> bool {
    text.parse::<u32>().is_ok_and(|number| number > 0)
}

fn is_picture(codec: &str) -> bool {
    let family = codec.split('.').next().unwrap_or_default();
    matches!(family, "avc1" | "avc3" | "hvc1" | "hev1" | "av01" | "vp09")
}

/// What is wrong with a codec string, if anything.
fn codec_fault(codec: &str) -> Option<&'static str> {
    let mut fields = codec.split('.');
    let family = fields.next().unwrap_or_default();
    let fields: Vec<&str> = fields.collect();
    let is_digits =
        |text: &str, count: usize| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    match family {
        "hev1" => Some("Safari plays HEVC as hvc1 only"),
        "avc3" => Some("Safari plays H.264 as avc1 only"),
        "opus" => Some("the name is Opus, with a capital"),
        "avc1" => {
            let is_hex =
                |text: &&str| text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            (fields.len() != 1 || !fields.iter().all(is_hex))
                .then_some("avc1 needs six hexadecimal digits")
        }
        "hvc1" => (fields.len() < 3).then_some("hvc1 needs profile, compatibility and level"),
        "av01" => {
            let has_level = fields.get(1).is_some_and(|level| {
                level.len() == 3 && is_digits(&level[..2], 2) && level.ends_with(['M', 'H'])
            });
            let has_depth = fields.get(2).is_some_and(|depth| is_digits(depth, 2));
            let has_profile = fields.first().is_some_and(|profile| is_digits(profile, 1));
            (!(has_level && has_depth && has_profile)).then_some("av01 needs P.LLT.DD")
        }
        "mp4a" => (fields.len() != 2).then_some("mp4a needs object type and profile"),
        _ => None,
    }
}
