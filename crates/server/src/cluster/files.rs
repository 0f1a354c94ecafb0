//! Files that machines share through a bucket: emoji, public files, packages of plugins, and what those keep.
//!
//! Each machine has them in its data folder, as a server that is alone does, and serves them from there: a bucket that
//! is away costs nothing but news. What is changed in the admin pages is written to the bucket first; what comes into a
//! folder by hand or from a plugin goes there in the next round. A machine learns of changes by looking at the list of
//! entity tags, so nobody has to tell it, and a machine that was away misses nothing.

mod bucket_name;
mod folders;
mod ledger;
mod storage;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use blobs::{BlobError, Blobs, BucketOptions};
use bytes::Bytes;
use chat::Room;
use chat::emoji::EmojiMirror;
use outbound::Client;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use bucket_name::recognise;
use folders::{MAX_FILES, SHARED, blocking};
use ledger::{FileLedger, SyncStep};
use storage::SyncWinner;

/// Between two looks at the bucket and the folders. A list of 1,000 files is one request.
const ROUND: Duration = Duration::from_secs(10);
/// A machine that starts waits this long for what the others have; then it goes on with what it has itself.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// A machine that stops hands over within the time it has for everything.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(5);
/// What `doctor` writes.
const TRIAL: &str = "shared/.doctor";
/// Where the ledger is, in the data folder.
const LEDGER: &str = "shared-files.json";
/// The same for what plugins keep.
const LEDGER_OF_STORAGE: &str = "shared-storage.json";

/// The folders that are shared.
#[derive(Debug)]
pub(crate) struct SharedFiles {
    blobs: Blobs,
    data: PathBuf,
    state: Mutex<SharingState>,
    /// Of what plugins keep.
    storage: Mutex<SharingState>,
}

#[derive(Debug, Default)]
struct SharingState {
    ledger: FileLedger,
    /// Files that were complained of; each is once.
    complaints: BTreeSet<String>,
    /// Not everything that the bucket has could be got. Only of what plugins keep.
    is_behind: bool,
}

impl SharingState {
    /// Without a ledger nothing is agreed, and both sides keep what they have.
    fn load(path: &Path) -> Self {
        let ledger = std::fs::read(path).ok();
        let ledger = ledger.and_then(|text| serde_json::from_slice(&text).ok());
        Self {
            ledger: ledger.unwrap_or_default(),
            complaints: BTreeSet::new(),
            is_behind: false,
        }
    }
}

impl SharedFiles {
    /// Asks nothing of the bucket yet.
    pub(crate) fn open(
        bucket: &BucketOptions,
        client: Client,
        data: &Path,
    ) -> anyhow::Result<Arc<Self>> {
        let blobs = Blobs::in_bucket(bucket.clone(), client).context("cannot use the bucket")?;
        Ok(Arc::new(Self::over(blobs, data)))
    }

    fn over(blobs: Blobs, data: &Path) -> Self {
        Self {
            blobs,
            data: data.to_owned(),
            state: Mutex::new(SharingState::load(&data.join(LEDGER))),
            storage: Mutex::new(SharingState::load(&data.join(LEDGER_OF_STORAGE))),
        }
    }

    /// What writes emoji to the bucket before they are in the folder.
    pub(crate) fn emoji(&self) -> Arc<dyn EmojiMirror> {
        Arc::new(SharedEmoji {
            blobs: self.blobs.clone(),
            runtime: Handle::current(),
        })
    }

    /// Gets what the other machines have, before anything looks into the folders.
    pub(crate) async fn at_start(&self) {
        match tokio::time::timeout(START_TIMEOUT, self.round()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(
                error = %format!("{error:#}"),
                "cannot get the shared files; going on with what is here"
            ),
            Err(_) => tracing::warn!(
                "the shared files take long; going on with what is here, and getting the rest meanwhile"
            ),
        }
    }

    /// Keeps the folders and the bucket the same, until `stop`.
    pub(crate) async fn run(self: Arc<Self>, chat: Room, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(ROUND);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_away = false;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let round = tokio::select! {
                () = stop.cancelled() => return,
                round = self.round() => round,
            };
            match &round {
                Ok(()) if is_away => tracing::info!("shared files are shared again"),
                Err(error) if !is_away => tracing::warn!(
                    error = %format!("{error:#}"),
                    "files are not shared with other machines right now; what is here is served"
                ),
                _ => {}
            }
            is_away = round.is_err();
            let chat = chat.clone();
            // It looks by itself when somebody asks for the list, but lines need the names too.
            drop(tokio::task::spawn_blocking(move || chat.emoji().refresh()).await);
        }
    }

    /// Gets what plugins kept on the machine that ran them before, when this one is about to run them.
    pub(crate) async fn take_over_storage(&self) {
        let taking = self.storage_round(SyncWinner::Bucket);
        match tokio::time::timeout(START_TIMEOUT, taking).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(
                error = %format!("{error:#}"),
                "cannot get what plugins have kept; they go on with what is here, and what the bucket has newer \
                 stays there"
            ),
            Err(_) => {
                tracing::warn!(
                    "what plugins have kept takes long; they go on with what is here, and what the bucket has newer \
                     stays there"
                );
            }
        }
    }

    /// Sends what plugins keep while this machine runs them, until `until`.
    pub(crate) async fn keep_storage(self: Arc<Self>, until: CancellationToken) {
        let mut is_away = false;
        loop {
            tokio::select! {
                () = until.cancelled() => return,
                () = tokio::time::sleep(ROUND) => {}
            }
            let sent = tokio::select! {
                () = until.cancelled() => return,
                sent = self.storage_round(SyncWinner::Machine) => sent,
            };
            if let Err(error) = &sent
                && !is_away
            {
                tracing::warn!(
                    error = %format!("{error:#}"),
                    "what plugins keep stays on this machine for now"
                );
            }
            is_away = sent.is_err();
        }
    }

    /// Sends the rest when plugins have ended here and another machine may run them.
    pub(crate) async fn hand_over_storage(&self) {
        let sending = self.storage_round(SyncWinner::Machine);
        let sent = tokio::time::timeout(HAND_OVER_TIMEOUT, sending).await;
        if !matches!(sent, Ok(Ok(()))) {
            tracing::warn!("cannot hand over what plugins have kept since the last round");
        }
    }

    async fn storage_round(&self, winner: SyncWinner) -> anyhow::Result<()> {
        let mut state = self.storage.lock().await;
        let SharingState {
            ledger,
            complaints,
            is_behind,
        } = &mut *state;
        let winner = match winner {
            SyncWinner::Bucket => {
                // Until it is done, which it may never be.
                *is_behind = true;
                winner
            }
            _ if *is_behind => SyncWinner::Neither,
            _ => winner,
        };
        let before = ledger.clone();
        let done = storage::sync(&self.blobs, &self.data, ledger, complaints, winner).await;
        if winner == SyncWinner::Bucket && matches!(done, Ok(true)) {
            *is_behind = false;
        }
        self.note(LEDGER_OF_STORAGE, &before, ledger).await?;
        done.map(drop)
    }

    /// Writes a ledger that has changed.
    async fn note(&self, name: &str, before: &FileLedger, now: &FileLedger) -> anyhow::Result<()> {
        if now == before {
            return Ok(());
        }
        let (path, text) = (self.data.join(name), serde_json::to_vec(now)?);
        blocking(move || save(&path, &text)).await
    }

    /// Makes both sides the same. An error means that the bucket is away or a folder cannot be read; what one file is in
    /// the way of is logged.
    async fn round(&self) -> anyhow::Result<()> {
        let mut state = self.state.lock().await;
        let before = state.ledger.clone();
        let done = self.meet(&mut state).await;
        self.note(LEDGER, &before, &state.ledger).await?;
        done
    }

    async fn meet(&self, state: &mut SharingState) -> anyhow::Result<()> {
        let data = self.data.clone();
        let here = blocking(move || folders::scan(&data)).await?;
        let listed = self.blobs.list(SHARED, MAX_FILES).await?;
        recognise(&self.blobs, SHARED, &listed, &mut state.ledger).await?;
        for prefix in &here.absent {
            state.ledger.forget_below(prefix);
        }
        for key in &here.left_alone {
            if state.complaints.insert(key.clone()) {
                tracing::warn!(file = %key, "not shared with other machines: it is too large, or its name cannot be shared");
            }
        }
        let left_alone: BTreeSet<&str> = here.left_alone.iter().map(String::as_str).collect();
        let there: BTreeMap<String, String> = listed
            .into_iter()
            .filter(|file| folders::place(&file.key).is_some())
            .map(|file| (file.key, file.etag))
            .collect();
        for folder in state.ledger.forget_lost(&here.files, &there) {
            tracing::warn!(
                %folder,
                "all files of a shared folder are gone at once on one side: they are taken for lost, not for deleted, \
                 and brought back"
            );
        }
        for step in state.ledger.steps(&here.files, &there) {
            if left_alone.contains(step.key()) {
                continue;
            }
            let Err(error) = self.take(&step, &mut state.ledger).await else {
                state.complaints.remove(step.key());
                continue;
            };
            if matches!(
                error.downcast_ref::<BlobError>(),
                Some(BlobError::Away(_) | BlobError::Refused(_))
            ) {
                return Err(error);
            }
            if state.complaints.insert(step.key().to_owned()) {
                tracing::warn!(file = %step.key(), error = %format!("{error:#}"), "cannot share a file");
            }
        }
        Ok(())
    }

    async fn take(&self, step: &SyncStep, ledger: &mut FileLedger) -> anyhow::Result<()> {
        let place = folders::place(step.key()).context("the file has a name that is not shared")?;
        let path = self.data.join(&place);
        match step {
            SyncStep::Fetch { key, etag } => {
                let bytes = match self.blobs.get(key).await {
                    // Deleted since the list was made.
                    Err(BlobError::Missing(_)) => return Ok(()),
                    bytes => bytes?,
                };
                let data = self.data.clone();
                let mark = blocking(move || folders::write(&data, &place, &bytes)).await?;
                ledger.agree(key.clone(), etag.clone(), mark);
            }
            SyncStep::Send { key, here } => {
                let Some(bytes) = blocking(move || folders::read(&path)).await? else {
                    return Ok(());
                };
                let etag = self.blobs.put(key, bytes.into()).await?;
                // If it was written meanwhile, it looks otherwise in the next round.
                ledger.agree(key.clone(), etag, *here);
            }
            SyncStep::RemoveHere(key) => {
                blocking(move || folders::remove(&path)).await?;
                ledger.forget(key);
            }
            SyncStep::RemoveThere(key) => {
                self.blobs.delete(key).await?;
                ledger.forget(key);
            }
            SyncStep::Forget(key) => ledger.forget(key),
        }
        Ok(())
    }
}

/// Whether the bucket can be written, read and listed; for `doctor`.
pub(crate) async fn try_bucket(bucket: &BucketOptions, client: Client) -> Result<(), BlobError> {
    let blobs = Blobs::in_bucket(bucket.clone(), client)?;
    blobs.list(SHARED, MAX_FILES).await?;
    let text = Bytes::from_static(b"written by rillcast doctor");
    blobs.put(TRIAL, text.clone()).await?;
    if blobs.get(TRIAL).await? != text {
        return Err(BlobError::Away(
            "what was written is not what is read".into(),
        ));
    }
    blobs.delete(TRIAL).await
}

/// Emoji go to the bucket first. Called off the runtime.
#[derive(Debug)]
struct SharedEmoji {
    blobs: Blobs,
    runtime: Handle,
}

impl EmojiMirror for SharedEmoji {
    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (key, bytes) = (folders::emoji_key(path), Bytes::copy_from_slice(bytes));
        let written = self.runtime.block_on(self.blobs.put(&key, bytes));
        written.map(drop).map_err(io::Error::other)
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        let key = folders::emoji_key(path);
        let removed = self.runtime.block_on(self.blobs.delete(&key));
        removed.map_err(io::Error::other)
    }
}

/// Completely or not at all; after a power cut both sides would keep what they have.
fn save(path: &Path, text: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("part");
    std::fs::write(&unfinished, text)?;
    std::fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests;
