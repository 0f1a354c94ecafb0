//! Drives the encoder of one broadcast: carries out the supervisor's orders and reports events to it.
//!
//! It runs in its own task, from the moment the tracks are known until the packager drops its link.

mod hardware;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use model::Clock;
use model::settings::VideoVariant;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::align::{Alignment, FramePosition};
use super::arguments::arguments;
use super::child::{FfmpegEvent, FfmpegProcess};
use super::encoder::Encoder;
use super::feed::Feed;
use super::link::{EncoderLink, LinkQueues, SourceFrame};
use super::memory::TranscoderMemory;
use super::output::{EncodedFrame, OutputError, PictureOutput, SoundOutput};
use super::plan::LadderPlan;
use super::status::{RungStatus, SoundStatus, SpeedSample, TranscoderStatus};
use super::supervisor::{Failure, Order, RunId, Supervisor};
use crate::hls::{EncoderEvent, PictureFrame, SoundFrame, SourceEncoder};

/// How often time is looked at.
const TICK: Duration = Duration::from_millis(250);
/// Looks in a second.
const TICKS_PER_SECOND: u32 = 4;
/// Seconds that are remembered for people.
const MAX_SAMPLES: usize = 300;

#[derive(Debug)]
pub struct TranscodeJob {
    /// The operator's qualities, as set when the publisher connected.
    pub variants: Arc<[VideoVariant]>,
    /// The rungs to encode, and whether the sound is encoded.
    pub plan: LadderPlan,
    pub encoder: Encoder,
    /// Path of ffmpeg; empty for the system's.
    pub ffmpeg: String,
    /// The init segment of the source tracks that the plan needs: the picture for rungs, the sound for encoded sound.
    pub init: Bytes,
    /// The same without the sound, for when that cannot be encoded.
    pub picture_init: Bytes,
    pub clock: Arc<dyn Clock>,
    /// What the previous encoder of the broadcast left.
    pub memory: TranscoderMemory,
    pub status: watch::Sender<Option<Arc<TranscoderStatus>>>,
}

impl TranscodeJob {
    /// Starts the job; it ends when the returned value is dropped. Call it inside a runtime.
    pub fn start(self) -> Box<dyn SourceEncoder> {
        let gone = CancellationToken::new();
        let (mut link, queues) = EncoderLink::new(gone.clone());
        link.takes_pictures = !self.plan.rungs.is_empty();
        link.takes_sound = self.plan.sound.is_some();
        let driver = Driver::new(self, queues, gone);
        tokio::spawn(driver.run());
        Box::new(link)
    }
}

/// One output of the current run.
#[derive(Debug)]
struct RungOutput {
    judge: PictureOutput,
    place: Alignment,
}

/// The initial feed of a run.
fn feed(job: &TranscodeJob, encodes_sound: bool) -> Feed {
    if job.plan.rungs.is_empty() {
        return Feed::of_sound(job.init.clone());
    }
    let init = if encodes_sound {
        &job.init
    } else {
        &job.picture_init
    };
    Feed::new(init.clone())
}

#[derive(Debug)]
struct Driver {
    job: TranscodeJob,
    queues: Arc<LinkQueues>,
    /// Cancelled when nobody needs this job any more; another one may already be running.
    gone: CancellationToken,
    supervisor: Supervisor,
    run: RunId,
    running: Option<FfmpegProcess>,
    feed: Feed,
    outputs: Vec<RungOutput>,
    /// The output after all others, if the current run encodes the sound.
    sound: Option<SoundOutput>,
    /// Whether the job has reported that the sound is no longer encoded.
    has_given_up_sound: bool,
    is_shown: Vec<bool>,
    samples: VecDeque<SpeedSample>,
    ticks: u32,
    /// The last published status.
    shown: Option<Arc<TranscoderStatus>>,
}

impl Driver {
    fn new(job: TranscodeJob, queues: Arc<LinkQueues>, gone: CancellationToken) -> Self {
        let rungs = job.plan.rungs.len();
        let mut supervisor = Supervisor::new(rungs, job.memory.restart_history());
        let mut outputs = rungs;
        if job.plan.sound.is_some() {
            supervisor = supervisor.with_sound();
            outputs += 1;
        }
        Self {
            supervisor,
            run: RunId::default(),
            running: None,
            feed: feed(&job, true),
            outputs: Vec::new(),
            sound: None,
            has_given_up_sound: false,
            is_shown: vec![false; outputs],
            samples: VecDeque::new(),
            ticks: 0,
            shown: None,
            job,
            queues,
            gone,
        }
    }

    async fn run(mut self) {
        let gone = self.gone.clone();
        let is_over = gone.run_until_cancelled(self.work()).await.is_none();
        debug_assert!(is_over, "work has no end of its own");
        for order in self.supervisor.stop() {
            self.obey(order);
        }
        if let Some(running) = self.running.take() {
            running.end().await;
        }
        let own = self.shown.take();
        self.job.status.send_if_modified(|status| {
            let is_own = matches!((&*status, &own), (Some(a), Some(b)) if Arc::ptr_eq(a, b));
            if is_own {
                *status = None;
            }
            is_own
        });
    }

    async fn work(&mut self) {
        self.show();
        self.choose_encoder().await;
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let running = &mut self.running;
            let feed = &mut self.feed;
            let heard = async {
                match running {
                    Some(running) => running.next(feed).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.queues.given.ready() => self.give(),
                event = heard => self.hear(event),
                _ = tick.tick() => self.tick(),
            }
        }
    }

    fn now(&self) -> Duration {
        self.job.clock.uptime()
    }

    fn tick(&mut self) {
        let orders = self.supervisor.look(self.now());
        self.obey_all(orders);
        self.ticks = self.ticks.wrapping_add(1);
        if !self.ticks.is_multiple_of(TICKS_PER_SECOND) {
            return;
        }
        let report = self.supervisor.report();
        if self.samples.len() >= MAX_SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back(SpeedSample {
            at: self.job.clock.now(),
            speed_percent: report.speed_percent,
            behind_ms: report.behind_ms,
        });
        self.show();
    }

    /// Feeds the publisher's frames to the encoder, or discards them if none runs.
    fn give(&mut self) {
        for frame in self.queues.given.take_all() {
            if self.running.is_none() {
                continue;
            }
            match frame {
                SourceFrame::Picture(picture) => self.picture(picture),
                SourceFrame::Sound(sound) => self.sound(sound),
            }
        }
    }

    fn picture(&mut self, picture: PictureFrame) {
        let PictureFrame {
            at_ms,
            composition_ms,
            sent_ms,
            is_key,
            data,
        } = picture;
        let shown_ms = at_ms + i64::from(composition_ms);
        if !self.feed.picture(at_ms, composition_ms, is_key, data) {
            let orders = self.supervisor.left_out(shown_ms, self.now());
            self.obey_all(orders);
            return;
        }
        if is_key {
            for output in &mut self.outputs {
                output.place.key(at_ms, composition_ms, sent_ms);
            }
        }
        let orders = self.supervisor.given(shown_ms, self.now());
        self.obey_all(orders);
    }

    fn sound(&mut self, sound: SoundFrame) {
        if self.sound.is_none() {
            return;
        }
        let SoundFrame {
            at_ms,
            end_ms,
            place,
            lasts,
            data,
        } = sound;
        let now = self.now();
        let orders = if self.feed.sound(place, lasts, data) {
            self.supervisor.sound_given(at_ms, end_ms, now)
        } else {
            self.supervisor.sound_left_out(at_ms, now)
        };
        self.obey_all(orders);
    }

    fn hear(&mut self, event: FfmpegEvent) {
        let failure = match event {
            FfmpegEvent::InputWritten => return,
            FfmpegEvent::Exited(words) => Failure::GaveUp(words),
            FfmpegEvent::Tag(place, tag) => {
                let is_sound = place == self.job.plan.rungs.len();
                let judged = tag.map_err(OutputError::from).and_then(|tag| {
                    if is_sound {
                        let given_ms = self.supervisor.sound_given_ms().unwrap_or_default();
                        let sound = self.sound.as_mut();
                        sound.map_or(Ok(None), |sound| sound.take(tag, given_ms))
                    } else {
                        let given_ms = self.supervisor.given_ms().unwrap_or_default();
                        let output = self.outputs.get_mut(place);
                        output.map_or(Ok(None), |output| output.judge.take(tag, given_ms))
                    }
                });
                match judged {
                    Ok(None) => return,
                    Ok(Some(frame)) if is_sound => return self.sound_came(place, frame),
                    Ok(Some(frame)) => return self.came(place, frame),
                    Err(error) if is_sound => Failure::BadSound(error),
                    Err(error) => Failure::BadOutput(error),
                }
            }
        };
        self.fail(failure);
    }

    fn sound_came(&mut self, place: usize, frame: EncodedFrame) {
        let EncodedFrame { at_ms, data, .. } = frame;
        let now = self.now();
        // Sound can be decoded from anywhere.
        let orders = self.supervisor.came(self.run, place, at_ms, true, now);
        self.obey_all(orders);
        if self.is_shown.get(place).copied().unwrap_or(false) {
            let bytes = data.len();
            self.hand_over(EncoderEvent::Sound { at_ms, data }, bytes);
        }
    }

    fn came(&mut self, place: usize, frame: EncodedFrame) {
        let Some(output) = self.outputs.get_mut(place) else {
            return;
        };
        let placed = output.place.place(&frame);
        let is_aligned = placed.is_some_and(|placed| placed.is_aligned);
        let now = self.now();
        let orders = self
            .supervisor
            .came(self.run, place, frame.at_ms, is_aligned, now);
        self.obey_all(orders);
        let is_shown = self.is_shown.get(place).copied().unwrap_or(false);
        let Some(FramePosition {
            at_ms,
            composition_ms,
            ..
        }) = placed.filter(|_| is_shown)
        else {
            return;
        };
        let bytes = frame.data.len();
        let picture = EncoderEvent::Picture {
            rung: place,
            is_aligned,
            picture: PictureFrame {
                at_ms,
                composition_ms,
                sent_ms: composition_ms,
                is_key: frame.is_key,
                data: frame.data,
            },
        };
        self.hand_over(picture, bytes);
    }

    fn hand_over(&mut self, frame: EncoderEvent, bytes: usize) {
        if !self.queues.encoded.push(frame, bytes) {
            self.fail(Failure::GaveUp(
                "it writes more than the stream takes".into(),
            ));
        }
    }

    fn fail(&mut self, failure: Failure) {
        // A repeated failure is logged once.
        let is_known = self.supervisor.report().last_failure.as_ref() == Some(&failure);
        if is_known {
            tracing::debug!(%failure, "the other qualities of the stream are unavailable again");
        } else {
            tracing::warn!("the other qualities of the stream are unavailable for now: {failure}");
        }
        let orders = self.supervisor.failed(self.run, failure, self.now());
        self.obey_all(orders);
    }

    fn obey_all(&mut self, orders: Vec<Order>) {
        for order in orders {
            self.obey(order);
        }
        let restart_history = self.supervisor.restart_history();
        self.job
            .memory
            .keep(restart_history, || self.gone.is_cancelled());
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Start(run) => self.start(run),
            Order::End(run) => {
                if run == self.run
                    && let Some(running) = self.running.take()
                {
                    // Its output is ignored from now on, so its end need not be awaited.
                    tokio::spawn(running.end());
                }
                self.outputs.clear();
                self.sound = None;
            }
            Order::Show(place, _) => {
                let shown = self.beginning_of(place);
                if let (Some(shown), Some(is_shown)) = (shown, self.is_shown.get_mut(place)) {
                    *is_shown = self.queues.encoded.push(shown, 0);
                }
                self.show();
            }
            Order::Hide(place) => {
                if let Some(is_shown) = self.is_shown.get_mut(place) {
                    *is_shown = false;
                }
                let hidden = if place == self.job.plan.rungs.len() {
                    EncoderEvent::HideSound
                } else {
                    EncoderEvent::Hide { rung: place }
                };
                self.queues.encoded.push(hidden, 0);
                self.show();
            }
            Order::Feed(mode) => self.feed.set_mode(mode),
        }
    }

    /// The event that precedes the first frame of an output.
    fn beginning_of(&self, place: usize) -> Option<EncoderEvent> {
        if place == self.job.plan.rungs.len() {
            let config = Arc::clone(self.sound.as_ref()?.config()?);
            return Some(EncoderEvent::ShowSound { config });
        }
        let config = Arc::clone(self.outputs.get(place)?.judge.config()?);
        let rung = place;
        Some(EncoderEvent::Show { rung, config })
    }

    /// The plan for the next run.
    fn plan(&mut self) -> LadderPlan {
        let mut plan = self.job.plan.clone();
        if plan.sound.is_some() && !self.supervisor.encodes_sound() {
            plan.sound = None;
            if !std::mem::replace(&mut self.has_given_up_sound, true) {
                tracing::warn!(
                    "the sound of this stream cannot be encoded: other qualities keep the original sound"
                );
            }
        }
        plan
    }

    fn start(&mut self, run: RunId) {
        self.run = run;
        let plan = self.plan();
        self.feed = feed(&self.job, plan.sound.is_some());
        let rungs = &plan.rungs;
        let fresh = rungs.iter().map(|rung| RungOutput {
            judge: PictureOutput::new(rung),
            place: Alignment::default(),
        });
        self.outputs = fresh.collect();
        self.sound = plan.sound.as_ref().map(SoundOutput::new);
        let words = arguments(&plan, self.job.encoder);
        let sound = self.sound.iter().map(|_| SoundOutput::MOST_TAG_BYTES);
        let pictures = rungs.iter().map(PictureOutput::most_bytes);
        let most_bytes: Vec<usize> = pictures.chain(sound).collect();
        match FfmpegProcess::start(&self.job.ffmpeg, &words, &most_bytes) {
            Ok(running) => self.running = Some(running),
            Err(error) => self.fail(Failure::Missing(error.to_string())),
        }
    }

    /// Publishes the status.
    fn show(&mut self) {
        let plan = &self.job.plan;
        let rungs = plan.rungs.iter().zip(&self.is_shown).enumerate();
        let sound = self.is_shown.get(plan.rungs.len());
        let is_sound_offered = sound == Some(&true) && self.queues.is_sound_listed();
        let is_given_up = !self.supervisor.encodes_sound();
        let status = Arc::new(TranscoderStatus {
            variants: Arc::clone(&self.job.variants),
            encoder: self.job.encoder,
            report: self.supervisor.report(),
            rungs: rungs
                .map(|(place, (rung, is_shown))| RungStatus {
                    rung: *rung,
                    is_offered: *is_shown && self.queues.is_listed(place),
                })
                .collect(),
            sound: plan.sound.map(|rung| SoundStatus {
                rung,
                is_offered: is_sound_offered,
                is_given_up,
            }),
            left_out: plan.left_out.clone(),
            samples: self.samples.iter().copied().collect(),
        });
        let (gone, shown) = (&self.gone, &mut self.shown);
        // The next job begins after this one is gone, so its status is never overwritten here.
        self.job.status.send_if_modified(|place| {
            let is_heard = !gone.is_cancelled();
            if is_heard {
                *shown = Some(Arc::clone(&status));
                *place = Some(status);
            }
            is_heard
        });
    }
}
