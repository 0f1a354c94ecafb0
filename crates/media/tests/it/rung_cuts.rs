//! Where rungs are cut, with an encoder that returns its input some pictures later.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use jiff::Timestamp;
use media::hls::{
    EncoderEvent, LadderOffer, OfferedRung, PictureFrame, RenditionView, Snapshot, SoundFrame,
    SourceEncoder,
};
use media::ingest::Ingest;
use media::transcoder::{Alignment, EncodedFrame};
use media_formats::flv::{FileReader, TagKind};
use testkit::clips::clip;

use crate::clips::send;
use crate::ladder::shown;
use crate::rig::{Encoder, Rig};
use crate::room::{Judge, first_msn, master, text, token};

/// Returns pictures after a delay of some others, and disappears at intervals.
#[derive(Debug)]
struct Echo {
    waiting: VecDeque<PictureFrame>,
    ready: Vec<EncoderEvent>,
    delay: usize,
    /// Keeps this many out of the second number of pictures, and every key frame.
    share: (usize, usize),
    absences: Option<usize>,
    /// These pictures are very large.
    heavy: Range<usize>,
    count: usize,
    place: Alignment,
    is_shown: bool,
    config: Arc<media_formats::codec::VideoConfig>,
}

impl Echo {
    fn answer(&mut self, picture: PictureFrame) {
        let at_ms = picture.at_ms + i64::from(picture.composition_ms);
        let frame = EncodedFrame {
            at_ms,
            is_key: picture.is_key,
            data: picture.data,
        };
        let Some(placed) = self.place.place(&frame) else {
            return;
        };
        if !self.is_shown && placed.is_aligned {
            self.is_shown = true;
            let config = Arc::clone(&self.config);
            self.ready.push(EncoderEvent::Show { rung: 0, config });
        }
        if self.is_shown {
            self.ready.push(EncoderEvent::Picture {
                rung: 0,
                is_aligned: placed.is_aligned,
                picture: PictureFrame {
                    at_ms: placed.at_ms,
                    composition_ms: placed.composition_ms,
                    sent_ms: placed.composition_ms,
                    is_key: frame.is_key,
                    data: frame.data,
                },
            });
        }
    }
}

impl SourceEncoder for Echo {
    fn give(&mut self, mut picture: PictureFrame) {
        self.count += 1;
        if self.heavy.contains(&self.count) {
            picture.data = vec![0; 8 << 20].into();
        }
        if self
            .absences
            .is_some_and(|every| self.count.is_multiple_of(every))
        {
            self.is_shown = false;
            self.waiting.clear();
            self.ready.push(EncoderEvent::Hide { rung: 0 });
        }
        if picture.is_key {
            let PictureFrame {
                at_ms,
                composition_ms,
                sent_ms,
                ..
            } = picture;
            self.place.key(at_ms, composition_ms, sent_ms);
        }
        let (kept, of) = self.share;
        if picture.is_key || self.count * kept % of < kept {
            // In presentation order, as an encoder writes them.
            let shown_ms = |one: &PictureFrame| one.at_ms + i64::from(one.composition_ms);
            let own = shown_ms(&picture);
            let behind = self.waiting.partition_point(|one| shown_ms(one) < own);
            self.waiting.insert(behind, picture);
        }
        while self.waiting.len() > self.delay {
            let next = self.waiting.pop_front().unwrap();
            self.answer(next);
        }
    }

    fn give_sound(&mut self, _: SoundFrame) {}

    fn take(&mut self, into: &mut Vec<EncoderEvent>) {
        into.append(&mut self.ready);
    }

    fn note_listed(&mut self, _: &[usize], _: bool) {}
}

/// Gives a packager one rung with one picture in `every`.
pub(crate) fn echo(delay: usize, every: usize, absences: Option<usize>) -> Encoder {
    heavy_echo(delay, (1, every), absences, 0..0)
}

fn heavy_echo(
    delay: usize,
    share: (usize, usize),
    absences: Option<usize>,
    heavy: Range<usize>,
) -> Encoder {
    Box::new(move |packager| {
        let Some(video) = packager.tracks().video.clone() else {
            return;
        };
        let echo = Echo {
            waiting: VecDeque::new(),
            ready: Vec::new(),
            delay,
            share,
            absences,
            heavy: heavy.clone(),
            count: 0,
            place: Alignment::default(),
            is_shown: false,
            config: video.config,
        };
        let offer = LadderOffer {
            rungs: vec![OfferedRung {
                every: u32::try_from(share.1 / share.0).unwrap(),
                has_encoded_sound: false,
            }],
            above_source: 0,
            lists_both_sounds: false,
        };
        packager.encode(Box::new(echo), offer);
    })
}

/// Sends clips one after the other and checks everything; returns how often a rung was listed, and the violations.
fn played(clips: &[&str], level: u8, encoder: Encoder) -> (usize, Vec<String>) {
    judged(level, encoder, false, |rig| {
        for clip in clips {
            send(rig, &mut Ingest::default(), clip, 0);
        }
    })
}

fn judged(
    level: u8,
    encoder: Encoder,
    is_steady: bool,
    sends: impl FnOnce(&mut Rig),
) -> (usize, Vec<String>) {
    let mut rig = Rig::new(level);
    rig.encoder = Some(encoder);
    let mut judge = Judge::default();
    judge.is_steady = is_steady;
    let judge = Rc::new(RefCell::new((judge, 0)));
    let seen = Rc::clone(&judge);
    rig.watcher = Some(Box::new(move |now: &Arc<Snapshot>| {
        let (judge, count) = &mut *seen.borrow_mut();
        judge.look(now);
        if let Some(rung) = now.rungs.first().and_then(Option::as_ref) {
            *count += 1;
            stands_beside(now.main.as_ref().unwrap(), rung);
        }
    }));
    sends(&mut rig);
    rig.finish_quietly();
    let (judge, count) = &*judge.borrow();
    (*count, judge.wrong.clone())
}

/// Segments with the same number begin with the same picture and have the same duration.
fn stands_beside(source: &RenditionView, rung: &RenditionView) {
    let [own, theirs] = [rung, source].map(|view| token(&text(view)));
    for msn in first_msn(&text(rung))..rung.open_msn() {
        let segment = rung.segment(own, msn).unwrap();
        let Some(other) = source.segment(theirs, msn) else {
            continue;
        };
        assert_eq!(segment.start_us, other.start_us, "{msn}");
        assert_eq!(segment.duration_us, other.duration_us, "{msn}");
        assert_eq!(segment.date, other.date, "{msn}");
        if other.is_independent() {
            let first = |segment: &media::hls::Segment| shown(&segment.parts[0].bytes)[0];
            assert_eq!(first(segment), first(other), "{msn}");
        }
    }
}

#[test]
fn whatever_is_sent_rungs_keep_every_rule_and_stand_beside_the_source() {
    for level in [0, 2, 4] {
        // One in a thousand means key frames only, which is what a slow encoder is fed.
        for (delay, every) in [(2, 1), (4, 2), (20, 1), (0, 1000)] {
            for clip in [
                "plain",
                "bframes",
                "video-only",
                "silent-mic",
                "25fps",
                "gop10",
            ] {
                let (count, wrong) = played(&[clip, clip], level, echo(delay, every, None));
                let what = format!("{clip} at level {level}, {delay} behind, one of {every}");
                assert!(count > 0, "{what}");
                assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
            }
        }
    }
}

/// A clip of 30 frames a second, converted to 29.97.
fn send_ntsc(rig: &mut Rig, ingest: &mut Ingest, name: &str) {
    for tag in FileReader::new(clip(name)).unwrap().map(Result::unwrap) {
        let frame = (u64::from(tag.timestamp_ms) * 30 + 500) / 1000;
        let stamp = u32::try_from((frame * 1001 + 15) / 30).unwrap();
        let now = Timestamp::from_millisecond(1_700_000_000_000 + i64::from(stamp)).unwrap();
        if tag.kind == TagKind::Video {
            let _ = ingest.video(stamp, tag.body, now, rig).unwrap();
        }
        rig.look();
    }
}

#[test]
fn parts_of_a_rung_last_as_long_as_they_are_listed_whatever_share_of_the_frames_it_has() {
    // At level 1 the last part of a segment may be shorter than a picture, and the one before too short to give one
    // away.
    for level in [0, 2, 3] {
        for (clip, share) in [
            ("plain", (1, 2)),
            ("bframes", (1, 2)),
            ("plain", (4, 5)),
            ("bframes", (4, 5)),
            ("gop10", (1, 2)),
            ("25fps", (2, 5)),
            ("25fps", (1, 3)),
            ("720p60", (1, 2)),
            ("720p60", (1, 7)),
            ("ntsc", (1, 2)),
        ] {
            let encoder = heavy_echo(2, share, None, 0..0);
            let (count, wrong) = judged(level, encoder, true, |rig| match clip {
                "ntsc" => send_ntsc(rig, &mut Ingest::default(), "video-only"),
                clip => _ = send(rig, &mut Ingest::default(), clip, 0),
            });
            let what = format!("{clip} at level {level}, {share:?}");
            assert!(count > 0, "{what}");
            assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
        }
    }
}

#[test]
fn rungs_come_and_go_and_every_list_keeps_every_rule() {
    for absences in [31, 90, 200] {
        let clips = [
            "plain",
            "bframes",
            "audio-only",
            "360p",
            "video-only",
            "plain",
        ];
        let (count, wrong) = played(&clips, 2, echo(3, 1, Some(absences)));
        assert!(count > 0, "{absences}");
        assert!(wrong.is_empty(), "{absences}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn every_list_tells_of_a_rung_from_the_moment_it_is_offered_until_it_goes() {
    for (level, absences) in [(2, None), (2, Some(90)), (0, Some(31))] {
        let mut rig = Rig::new(level);
        rig.encoder = Some(echo(3, 2, absences));
        let changes = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&changes);
        rig.watcher = Some(Box::new(move |now: &Arc<Snapshot>| {
            let is_offered = master(now).contains("\n1/video.m3u8");
            for view in [&now.main, &now.audio] {
                let list = text(view.as_ref().unwrap());
                let reports = list.matches("URI=\"../1/video.m3u8\",LAST-MSN=").count();
                assert_eq!(reports, usize::from(is_offered), "{list}");
            }
            let mut changes = seen.borrow_mut();
            if changes.last() != Some(&is_offered) {
                changes.push(is_offered);
            }
        }));
        send(&mut rig, &mut Ingest::default(), "plain", 0);
        let wanted: &[bool] = match absences {
            None => &[false, true],
            Some(_) => &[false, true, false],
        };
        assert!(changes.borrow().starts_with(wanted), "{changes:?}");
    }
}

#[test]
fn a_picture_that_stops_while_the_sound_goes_on_stops_in_every_quality_and_none_falls_behind() {
    for (clip, delay) in [("plain", 2), ("bframes", 3), ("plain", 20)] {
        let (mut rig, mut ingest) = (Rig::new(2), Ingest::default());
        rig.encoder = Some(echo(delay, 1, None));
        let judge = Rc::new(RefCell::new(Judge::default()));
        let seen = Rc::clone(&judge);
        rig.watcher = Some(Box::new(move |now| seen.borrow_mut().look(now)));
        let is_away = |kind, stamp| kind == TagKind::Video && (3_000..14_500).contains(&stamp);
        let behind = Cell::new(0);
        let mut at = 0;
        for _ in 0..3 {
            at = send_some(&mut rig, &mut ingest, clip, at, |rig, kind, stamp| {
                if (10_000..14_000).contains(&stamp)
                    && let Some(now) = rig.live_snapshot.now()
                {
                    let rung = now.rungs[0].as_ref().unwrap();
                    let main = now.main.as_ref().unwrap();
                    behind.set(behind.get().max(main.open_msn() - rung.open_msn()));
                }
                !is_away(kind, stamp)
            });
        }
        assert_eq!(behind.get(), 0, "{clip}, {delay} behind");
        let now = rig.snapshot();
        stands_beside(now.main.as_ref().unwrap(), now.rungs[0].as_ref().unwrap());
        rig.finish_quietly();
        let wrong = &judge.borrow().wrong;
        assert!(
            wrong.is_empty(),
            "{clip}, {delay} behind:\n{}",
            wrong.join("\n")
        );
    }
}

/// Sends the kept tags of a clip, with timestamps moved by `offset`; returns the timestamp after its end.
fn send_some(
    rig: &mut Rig,
    ingest: &mut Ingest,
    name: &str,
    offset: u32,
    keeps: impl Fn(&Rig, TagKind, u32) -> bool,
) -> u32 {
    let mut end = offset;
    for tag in FileReader::new(clip(name)).unwrap().map(Result::unwrap) {
        let stamp = offset + tag.timestamp_ms;
        end = end.max(stamp + 33);
        let now = Timestamp::from_millisecond(1_700_000_000_000 + i64::from(stamp)).unwrap();
        // Parameters are repeated in every round, whatever else is left out.
        let is_first = tag.timestamp_ms == 0 && offset == 0;
        if !is_first && !keeps(rig, tag.kind, stamp) {
            continue;
        }
        match tag.kind {
            TagKind::Video => drop(ingest.video(stamp, tag.body, now, rig).unwrap()),
            TagKind::Audio => drop(ingest.audio(stamp, tag.body, now, rig).unwrap()),
            TagKind::Script | TagKind::Other(_) => {}
        }
        rig.look();
    }
    end
}

#[test]
fn a_rung_that_lags_does_not_delay_the_source() {
    let lists = |encoder: Option<Encoder>| {
        let mut rig = Rig::new(2);
        rig.encoder = encoder;
        send(&mut rig, &mut Ingest::default(), "plain", 0);
        rig.snapshot()
    };
    let (alone, beside) = (lists(None), lists(Some(echo(60, 1, None))));
    let parts = |snapshot: &Snapshot| {
        let list = text(snapshot.main.as_ref().unwrap());
        list.matches("#EXT-X-PART:").count() + list.matches("#EXTINF:").count()
    };
    assert_eq!(parts(&alone), parts(&beside));
    let rung = beside.rungs[0].as_ref().unwrap();
    let main = beside.main.as_ref().unwrap();
    assert!(rung.open_msn() < main.open_msn());
    assert!(master(&beside).contains("1/video.m3u8"));
}

#[test]
fn a_rung_that_becomes_too_heavy_goes_and_comes_back_with_a_key_frame() {
    let mut rig = Rig::new(2);
    rig.encoder = Some(heavy_echo(2, (1, 1), None, 40..60));
    let lists = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&lists);
    rig.watcher = Some(Box::new(move |now: &Arc<Snapshot>| {
        let rung = now.rungs.first().and_then(Option::as_ref);
        let mut lists = seen.borrow_mut();
        let list = rung.map(|rung| token(&text(rung)));
        if lists.last() != Some(&list) {
            lists.push(list);
        }
    }));
    send(&mut rig, &mut Ingest::default(), "plain", 0);
    let now = rig.snapshot();
    stands_beside(now.main.as_ref().unwrap(), now.rungs[0].as_ref().unwrap());
    let lists = lists.borrow();
    assert!(
        matches!(lists[..], [.., Some(heavy), None, Some(back)] if heavy != back),
        "{lists:?}"
    );
}
