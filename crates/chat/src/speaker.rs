//! The speaking end of a connection.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use model::chat::{ChatUser, MAX_COLOR};
use model::settings::Layers;
use model::settings::table::chat::{
    FORBIDDEN_NAMES, REJECT_DUPLICATES, SLOW_MODE_SECONDS, SPAM_PROTECTION,
};
use model::{Event, MessageId};
use store::{MessageKind, NewMessage, Posting, Renaming, Reply, StoreError, User, UserKind};
use unicode_segmentation::UnicodeSegmentation;

use crate::filter::{self, Draft, Verdict};
use crate::heard::{Notice, What};
use crate::member::{Known, Member};
use crate::pace::Pace;
use crate::room::{Command, Room, Thread};
use crate::text::escaped;
use crate::{names, render, rules};

/// Characters of a line, as people count them.
pub const MAX_LINE_CHARS: usize = 500;

/// Bytes of a line that is rendered at once, whatever is in it.
const QUICK_BYTES: usize = 256;

/// What somebody says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// To everybody.
    Line {
        /// As typed.
        body: String,
        /// The line it answers.
        reply_to: Option<String>,
    },
    /// They want to be called so.
    Rename(String),
    /// They want to be seen in this colour.
    Recolor(i64),
    /// Something that counts as talk and means nothing.
    Nothing,
}

/// A connection's mouth.
#[derive(Debug)]
pub struct Speaker {
    room: Room,
    client_id: u64,
    member: Arc<Member>,
    thread: Arc<Thread>,
}

/// Why something was not done; for the log.
type Failure = StoreError;

impl Speaker {
    pub(crate) fn new(
        room: Room,
        client_id: u64,
        member: Arc<Member>,
        thread: Arc<Thread>,
    ) -> Self {
        Self {
            room,
            client_id,
            member,
            thread,
        }
    }

    /// Who speaks, as they are now.
    pub fn user(&self) -> Arc<ChatUser> {
        Arc::clone(&self.member.now().public)
    }

    /// The connection's number.
    pub fn client_id(&self) -> u64 {
        self.client_id
    }

    /// Takes what somebody says, or tells them why not. Returns once it is done: one connection says one thing at a time.
    pub async fn say(&self, said: Said) {
        if let Err(error) = self.try_say(said).await {
            tracing::warn!(%error, client_id = self.client_id, "what somebody said could not be stored");
            let text = "That did not work, please try again.";
            self.refuse(Notice::Refused, text).await;
        }
    }

    /// Tells somebody that they sent too much at once.
    pub async fn too_long(&self) {
        let uptime = self.room.shared.clock.uptime();
        let is_protected = self.is_protected(&self.room.shared.settings.now());
        if self.member.pace().frame(uptime, is_protected) == Pace::Fine {
            let text = "That message is too long.";
            self.refuse(Notice::Refused, text).await;
        }
    }

    /// Whether the limit for people applies, not only the one for machines.
    fn is_protected(&self, settings: &Layers) -> bool {
        *settings.get(&SPAM_PROTECTION) && !self.member.now().user.is_moderator
    }

    async fn try_say(&self, said: Said) -> Result<(), Failure> {
        let settings = self.room.shared.settings.now();
        let clock = &self.room.shared.clock;
        let known = self.member.now();
        let user = &known.user;
        let is_protected = self.is_protected(&settings);
        let pace = self.member.pace().frame(clock.uptime(), is_protected);
        match pace {
            Pace::Fine => {}
            Pace::Muted => return Ok(()),
            Pace::Flood => {
                let text = "You write too fast. For ten seconds nothing you send will be shown.";
                self.refuse(Notice::Flood, text).await;
                return Ok(());
            }
        }
        if user.muted_until.is_some_and(|until| until > clock.now()) {
            let text = "A moderator has silenced you for a while.";
            self.refuse(Notice::Muted, text).await;
            return Ok(());
        }
        let text = match &said {
            Said::Line { body: text, .. } | Said::Rename(text) => text.as_str(),
            Said::Recolor(_) => "",
            Said::Nothing => return Ok(()),
        };
        if self.room.shared.rules.is_foul(&settings, text) {
            let text = "That has words that are not wanted here.";
            self.refuse(Notice::Refused, text).await;
            return Ok(());
        }
        if let Some(text) = rules::barrier(&settings, user, clock.now()) {
            self.refuse(Notice::Refused, text).await;
            return Ok(());
        }
        match said {
            Said::Line { body, reply_to } => self.line(&settings, &known, body, reply_to).await,
            Said::Rename(name) => self.rename(&settings, user, &name).await,
            Said::Recolor(color) => self.recolor(user, color).await,
            Said::Nothing => Ok(()),
        }
    }

    async fn line(
        &self,
        settings: &Arc<Layers>,
        known: &Known,
        body: String,
        reply_to: Option<String>,
    ) -> Result<(), Failure> {
        let shared = &self.room.shared;
        let (now, uptime) = (shared.clock.now(), shared.clock.uptime());
        if !rules::is_open(settings, &shared.stream.borrow(), now) {
            return Ok(());
        }
        if let Err((notice, text)) = self.admit(settings, &known.user, &body, uptime) {
            self.refuse(notice, &text).await;
            return Ok(());
        }
        let Some(body) = self.filtered(known, body).await else {
            return Ok(());
        };
        let Some(html) = self.rendered(body.clone()).await else {
            return Ok(());
        };
        if html.contains("<a ") && !rules::may_link(settings, &known.user, now) {
            let text = "Links are not wanted here.";
            self.refuse(Notice::Refused, text).await;
            return Ok(());
        }
        if *settings.get(&REJECT_DUPLICATES)
            && !known.user.is_moderator
            && shared.rules.is_repeated(&body, uptime)
        {
            let text = "That was said a moment ago.";
            self.refuse(Notice::Refused, text).await;
            return Ok(());
        }
        let is_held = rules::is_held(settings, &known.user);
        let reply = self.reply(reply_to).await?;
        let posted = post_line(
            &self.room,
            known,
            Text {
                raw: body,
                html,
                reply,
            },
            self.client_id,
            is_held,
        );
        match posted.await? {
            Posting::Posted(_) if is_held => {
                self.member.pace().line(uptime);
                let text = "Your first message is shown once a moderator has seen it.";
                self.refuse(Notice::Held, text).await;
            }
            Posting::Posted(_) => {
                self.member.pace().line(uptime);
                self.member.spoke(now);
                self.thread.lines.fetch_add(1, Ordering::Relaxed);
            }
            Posting::Muted => {
                let text = "A moderator has silenced you for a while.";
                self.refuse(Notice::Muted, text).await;
            }
            // They hear of it as their connections are closed.
            Posting::Banned => {}
        }
        Ok(())
    }

    /// What can be said about a line without looking at what it means.
    fn admit(
        &self,
        settings: &Layers,
        user: &User,
        body: &str,
        uptime: Duration,
    ) -> Result<(), (Notice, String)> {
        // Two steps, because counting what people see as characters takes longer than counting code points.
        if body.chars().count() > MAX_LINE_CHARS && body.graphemes(true).count() > MAX_LINE_CHARS {
            let text = format!("That message is too long: at most {MAX_LINE_CHARS} characters.");
            return Err((Notice::Refused, text));
        }
        let slow_mode = Duration::from_secs((*settings.get(&SLOW_MODE_SECONDS)).into());
        if !user.is_moderator
            && let Some(wait) = self.member.pace().slow_wait(uptime, slow_mode)
        {
            let seconds = wait.as_secs() + 1;
            let text = format!("Slow mode is on: please wait {seconds} seconds.");
            return Err((Notice::SlowMode(seconds), text));
        }
        Ok(())
    }

    /// Long lines made to be slow take milliseconds, which others would wait for.
    async fn rendered(&self, body: String) -> Option<String> {
        if body.len() <= QUICK_BYTES {
            return render::line(&body, &self.room.shared.emoji);
        }
        let shared = Arc::clone(&self.room.shared);
        let rendering = tokio::task::spawn_blocking(move || render::line(&body, &shared.emoji));
        rendering.await.ok().flatten()
    }

    async fn filtered(&self, known: &Known, body: String) -> Option<String> {
        let draft = Draft {
            user: ChatUser::clone(&known.public),
            body: body.clone(),
            client_id: self.client_id,
        };
        match filter::ask(&**self.room.filter(), draft).await {
            Verdict::Pass => Some(body),
            Verdict::Replace(body) => Some(body),
            Verdict::Drop(reason) => {
                if let Some(reason) = reason {
                    self.refuse(Notice::Refused, &reason).await;
                }
                None
            }
        }
    }

    /// The line that is answered; a line that cannot be read any more is answered by an ordinary line.
    async fn reply(&self, to: Option<String>) -> Result<Option<Reply>, Failure> {
        let Some(id) = to.and_then(|id| MessageId::parse(id).ok()) else {
            return Ok(None);
        };
        let Some(message) = self.room.shared.store.readable_message(&id).await? else {
            return Ok(None);
        };
        Ok(message.user.map(|user| Reply {
            id,
            display_name: user.display_name,
            excerpt: render::excerpt(&message.body),
        }))
    }

    async fn rename(&self, settings: &Layers, user: &User, name: &str) -> Result<(), Failure> {
        let name = names::clean(name);
        let refusal = if name.is_empty() {
            Some("A name needs at least one letter.")
        } else if names::is_forbidden(&name, settings.get(&FORBIDDEN_NAMES).as_slice()) {
            Some("That name is not allowed here.")
        } else if name == user.display_name {
            self.identify().await;
            return Ok(());
        } else {
            let shared = &self.room.shared;
            let (at, client_id) = (shared.clock.now(), self.client_id);
            match shared
                .store
                .take_name(&user.id, name, client_id, at)
                .await?
            {
                Renaming::Done(renamed) => {
                    let command = Command::Renamed {
                        user: renamed,
                        old_name: user.display_name.clone(),
                        client_id,
                    };
                    self.room.send(command).await;
                    None
                }
                Renaming::Taken => Some("That name belongs to somebody else."),
                Renaming::Unknown => None,
            }
        };
        if let Some(text) = refusal {
            self.refuse(Notice::Name, text).await;
            self.identify().await;
        }
        Ok(())
    }

    async fn recolor(&self, user: &User, color: i64) -> Result<(), Failure> {
        if !(0..=MAX_COLOR).contains(&color) {
            return Ok(());
        }
        if let Some(user) = self.room.shared.store.set_color(&user.id, color).await? {
            self.room.send(Command::Changed(Box::new(user))).await;
        }
        Ok(())
    }

    /// Tells them who they are.
    async fn identify(&self) {
        let heard = self.room.heard(What::Identity(self.user()));
        self.room
            .send(Command::Tell(self.client_id, Box::new(heard)))
            .await;
    }

    /// Tells them in private why something was not done. The text may come from a plugin.
    async fn refuse(&self, notice: Notice, text: &str) {
        let heard = self.room.heard(What::Action {
            body: format!("<p>{}</p>", escaped(text)),
            notice: Some(notice),
        });
        self.room
            .send(Command::Tell(self.client_id, Box::new(heard)))
            .await;
    }
}

/// A line in its forms.
pub(crate) struct Text {
    pub(crate) raw: String,
    pub(crate) html: String,
    pub(crate) reply: Option<Reply>,
}

/// Stores a line of a person or a bot; everybody hears it once it is safe.
pub(crate) async fn post_line(
    room: &Room,
    known: &Known,
    text: Text,
    client_id: u64,
    is_held: bool,
) -> Result<Posting, StoreError> {
    let heard = room.heard(What::Line {
        user: Arc::clone(&known.public),
        body: text.html.clone(),
        reply: text.reply.clone(),
    });
    let is_person = known.user.kind == UserKind::Standard;
    let event = (!is_held && is_person).then(|| Event::ChatMessagePosted {
        id: heard.id.clone(),
        user: ChatUser::clone(&known.public),
        body: text.html.clone(),
        raw_body: text.raw.clone(),
        client_id,
    });
    let message = NewMessage {
        id: heard.id.clone(),
        kind: MessageKind::Chat,
        user_id: Some(known.user.id.clone()),
        body: text.html,
        raw_body: text.raw,
        reply: text.reply,
        card: None,
        is_held,
        at: heard.at,
    };
    room.post(message, event, heard).await
}
