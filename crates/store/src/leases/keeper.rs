//! Runs the rules of leases: asks the database, and tells the workers.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use model::Clock;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::rules::{LOOK_EVERY, LeaseRules, LeaseStep, VALID_FOR};
use crate::database::Store;
use crate::error::StoreError;
use crate::lease::{Lease, LeaseName, LeaseRow};

/// Workers that wait for the keeper; further ones wait for room. There are not as many.
const COMMANDS: usize = 32;
/// What the database has not answered by then is asked again, while there is time.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Where workers get their leases. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Leases {
    /// `None` where nobody has to be asked.
    keeper: Option<mpsc::Sender<LeaseCommand>>,
    /// What this server is for; it never asks for anything else.
    allowed: Arc<[LeaseName]>,
}

#[derive(Debug)]
enum LeaseCommand {
    Take(LeaseName, oneshot::Sender<Lease>),
    TakeAsSeen(LeaseName, Option<LeaseRow>, oneshot::Sender<Lease>),
    GiveBack(Lease, oneshot::Sender<()>),
}

impl Leases {
    /// For a server that has its database to itself: it has every lease, always, and asks nobody.
    pub fn alone() -> Self {
        Self {
            keeper: None,
            allowed: LeaseName::ALL.into(),
        }
    }

    /// Whether this server has its database to itself.
    pub fn is_alone(&self) -> bool {
        self.keeper.is_none()
    }

    /// For one of several servers. `holder` names this process and no other one, not even the same server after a
    /// restart. The caller drives the future, which ends after `stop` when every lease was given back.
    pub fn keep(
        store: Store,
        clock: Arc<dyn Clock>,
        holder: String,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (sender, commands) = mpsc::channel(COMMANDS);
        let keeper = LeaseTask {
            rules: LeaseRules::new(holder),
            store,
            clock,
            commands,
            grants: BTreeMap::new(),
            waiting: BTreeMap::new(),
            stop,
        };
        let leases = Self {
            keeper: Some(sender),
            allowed: LeaseName::ALL.into(),
        };
        (leases, keeper.run())
    }

    /// For a server that is there for some of the work only.
    #[must_use]
    pub fn only(self, allowed: &[LeaseName]) -> Self {
        Self {
            allowed: allowed.into(),
            ..self
        }
    }

    /// Whether this server is there for that work.
    pub fn is_for(&self, name: LeaseName) -> bool {
        self.allowed.contains(&name)
    }

    /// Waits until this server has the lease; for ever, if it stops before or is not there for that work.
    pub async fn take(&self, name: LeaseName) -> Lease {
        if !self.is_for(name) {
            return std::future::pending().await;
        }
        let Some(keeper) = &self.keeper else {
            return Lease::always();
        };
        let (sender, receiver) = oneshot::channel();
        if keeper.send(LeaseCommand::Take(name, sender)).await.is_ok()
            && let Ok(lease) = receiver.await
        {
            return lease;
        }
        std::future::pending().await
    }

    /// Tries once to take a lease, if its row still is as it was `seen`. Whoever does not wait until the rules say that a
    /// holder is gone must know better: the fence keeps that one's writes out, and it hears of it with its next renewal.
    pub async fn take_as_seen(&self, name: LeaseName, seen: Option<LeaseRow>) -> Option<Lease> {
        if !self.is_for(name) {
            return None;
        }
        let Some(keeper) = &self.keeper else {
            return Some(Lease::always());
        };
        let (sender, receiver) = oneshot::channel();
        let command = LeaseCommand::TakeAsSeen(name, seen, sender);
        keeper.send(command).await.ok()?;
        receiver.await.ok()
    }

    /// Gives a lease back after the work has ended, so that nobody has to wait for it.
    pub async fn give_back(&self, lease: Lease) {
        let Some(keeper) = &self.keeper else {
            return;
        };
        let (sender, receiver) = oneshot::channel();
        if keeper
            .send(LeaseCommand::GiveBack(lease, sender))
            .await
            .is_ok()
        {
            // An error means that the keeper has ended, and with it every lease.
            drop(receiver.await);
        }
    }

    /// Works whenever this server has the lease, until `stop`. The token that `work` is given is cancelled at the stop
    /// and when the lease is lost; it must end soon then.
    pub async fn while_held<W, F>(&self, name: LeaseName, stop: CancellationToken, mut work: W)
    where
        W: FnMut(Lease, CancellationToken) -> F,
        F: Future<Output = ()>,
    {
        loop {
            let lease = tokio::select! {
                // First, so that a lease that has come is never dropped, and one server alone always gets to work.
                biased;
                lease = self.take(name) => lease,
                () = stop.cancelled() => return,
            };
            let until = stop.child_token();
            let mut working = Box::pin(work(lease.clone(), until.clone()));
            tokio::select! {
                () = &mut working => {}
                () = lease.lost() => {
                    tracing::warn!(lease = name.as_str(), "this work was lost: the database was away, or another server has it");
                    until.cancel();
                    working.await;
                }
            }
            self.give_back(lease).await;
            if stop.is_cancelled() || self.keeper.is_none() {
                return;
            }
            // Whatever ended the work, others get a chance before it begins again here.
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    }
}

struct LeaseTask {
    rules: LeaseRules,
    store: Store,
    clock: Arc<dyn Clock>,
    commands: mpsc::Receiver<LeaseCommand>,
    /// What the workers hold.
    grants: BTreeMap<LeaseName, Lease>,
    waiting: BTreeMap<LeaseName, oneshot::Sender<Lease>>,
    stop: CancellationToken,
}

impl LeaseTask {
    async fn run(mut self) {
        loop {
            self.expire();
            self.release_abandoned().await;
            let is_stopping = self.stop.is_cancelled();
            if is_stopping {
                self.rules.want_nothing();
                self.waiting.clear();
                if self.rules.holds_nothing() {
                    return;
                }
            }
            match self.rules.next(self.clock.uptime()) {
                LeaseStep::Renew(held) => self.renew(held).await,
                LeaseStep::Look => self.look().await,
                LeaseStep::Take(name, seen) => self.take(name, seen).await,
                LeaseStep::Wait(until) => {
                    let left = until.map(|until| until.saturating_sub(self.clock.uptime()));
                    tokio::select! {
                        command = self.commands.recv() => match command {
                            Some(command) => self.obey(command).await,
                            None => return self.release_all().await,
                        },
                        () = self.stop.cancelled(), if !is_stopping => {}
                        () = sleep(left) => {}
                    }
                }
            }
        }
    }

    async fn obey(&mut self, command: LeaseCommand) {
        match command {
            LeaseCommand::Take(name, answer) => {
                self.rules.want(name);
                self.waiting.insert(name, answer);
            }
            LeaseCommand::TakeAsSeen(name, seen, answer) => {
                // Without an answer the other end learns that it was in vain.
                if !self.stop.is_cancelled() && !self.grants.contains_key(&name) {
                    self.rules.want(name);
                    self.waiting.insert(name, answer);
                    self.take(name, seen).await;
                    self.waiting.remove(&name);
                    self.rules.stop_wanting(name);
                }
            }
            LeaseCommand::GiveBack(lease, done) => {
                self.release(&lease).await;
                // A worker that no longer listens has given it back all the same.
                let _ = done.send(());
            }
        }
    }

    async fn renew(&mut self, held: Vec<(LeaseName, i64)>) {
        let sent_at = self.clock.uptime();
        let (store, asked, holder) = (self.store.clone(), held.clone(), self.holder());
        let renewing = async move { store.renew_leases(asked, holder).await };
        match self.answer(renewing).await {
            Ok(kept) => {
                // What was over when the answer came stays over.
                self.expire();
                let lost = self.rules.renewed(sent_at, &held, &kept);
                for lease in kept.iter().filter_map(|name| self.grants.get(name)) {
                    lease.extend(sent_at + VALID_FOR);
                }
                self.end(lost);
            }
            Err(error) => {
                tracing::warn!(%error, "cannot renew what this server does for all, trying again");
                self.rules.not_renewed(self.clock.uptime());
            }
        }
    }

    async fn look(&mut self) {
        let asked_at = self.clock.uptime();
        let store = self.store.clone();
        match self.answer(async move { store.leases().await }).await {
            Ok(rows) => self.rules.looked(asked_at, self.clock.uptime(), &rows),
            Err(error) => tracing::debug!(%error, "cannot see what other servers do for all"),
        }
    }

    async fn take(&mut self, name: LeaseName, seen: Option<LeaseRow>) {
        let sent_at = self.clock.uptime();
        let (store, holder) = (self.store.clone(), self.holder());
        let taking = async move { store.take_lease(name, seen, holder).await };
        let fence = match self.answer(taking).await {
            Ok(fence) => fence,
            Err(error) => {
                tracing::debug!(%error, lease = name.as_str(), "cannot take over, trying again");
                return;
            }
        };
        let now = self.clock.uptime();
        let valid_until = self.rules.taken(sent_at, now, name, fence);
        match (fence, valid_until) {
            (Some(fence), Some(valid_until)) => {
                tracing::info!(
                    lease = name.as_str(),
                    fence,
                    "this server does this work now"
                );
                let lease = Lease::new(name, self.holder(), fence, valid_until);
                self.grants.insert(name, lease.clone());
                if let Some(waiting) = self.waiting.remove(&name) {
                    // If nobody waits any more it is found abandoned.
                    drop(waiting.send(lease));
                }
            }
            (Some(fence), None) => self.release_row(name, fence).await,
            (None, _) => {}
        }
    }

    fn expire(&mut self) {
        let lost = self.rules.expire(self.clock.uptime());
        self.end(lost);
    }

    /// Tells the workers that these are lost.
    fn end(&mut self, lost: Vec<LeaseName>) {
        for name in lost {
            if let Some(lease) = self.grants.remove(&name) {
                lease.lose();
            }
        }
    }

    /// A worker that panicked, or whose server stopped before it began, gives nothing back.
    async fn release_abandoned(&mut self) {
        let abandoned = self.grants.values().filter(|lease| lease.is_abandoned());
        let abandoned: Vec<LeaseName> = abandoned.filter_map(Lease::name).collect();
        for name in abandoned {
            if let Some(lease) = self.grants.get(&name).cloned() {
                self.release(&lease).await;
            }
        }
    }

    /// All workers have ended.
    async fn release_all(&mut self) {
        let all: Vec<Lease> = self.grants.values().cloned().collect();
        for lease in all {
            self.release(&lease).await;
        }
    }

    async fn release(&mut self, lease: &Lease) {
        let Some(name) = lease.name() else {
            return;
        };
        let fence = lease.fence();
        lease.lose();
        self.rules.give_back(name, fence);
        if self
            .grants
            .get(&name)
            .is_some_and(|one| one.fence() == fence)
        {
            self.grants.remove(&name);
        }
        self.release_row(name, fence).await;
    }

    async fn release_row(&mut self, name: LeaseName, fence: i64) {
        let (store, holder) = (self.store.clone(), self.holder());
        let releasing = async move { store.release_lease(name, fence, holder).await };
        if let Err(error) = self.answer(releasing).await {
            tracing::debug!(%error, lease = name.as_str(), "cannot give work back; others will see that it rests");
        }
    }

    fn holder(&self) -> String {
        self.rules.holder().to_owned()
    }

    /// Waits for the database, while leases go on to end at their time.
    async fn answer<T>(
        &mut self,
        call: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        let mut call = pin!(tokio::time::timeout(ANSWER_TIMEOUT, call));
        loop {
            let left = self.rules.next_end();
            let left = left.map(|end| end.saturating_sub(self.clock.uptime()));
            tokio::select! {
                biased;
                answer = &mut call => {
                    let late = |_| Err(StoreError::Unavailable("it does not answer".into()));
                    return answer.unwrap_or_else(late);
                }
                () = sleep(left) => self.expire(),
            }
        }
    }
}

async fn sleep(left: Option<Duration>) {
    match left {
        Some(left) => tokio::time::sleep(left).await,
        None => std::future::pending().await,
    }
}
