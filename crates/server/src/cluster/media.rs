//! The stream on its way between the machines: the one that takes it in tells the others, and they show it.

use std::sync::Arc;
use std::time::Duration;

use bus::{Bus, MediaLimits, MediaQueue, MediaStream};
use media::hls::{Replica, SnapshotPublisher, Update};
use media::stream::{Stream, StreamMirror};
use model::Clock;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{bus_options, ticks};
use crate::config::ClusterConfig;

/// The state is told this often even if nothing changes, for machines that have just come and for those that lost something.
const TELL: Duration = Duration::from_secs(1);
/// A broadcast of which nothing is heard for so long is over, as far as this machine can know.
const GIVE_UP_AFTER: Duration = Duration::from_secs(60);

/// Carries the stream until `stop`. `sender` is the number of this machine.
pub(crate) async fn carry(
    config: ClusterConfig,
    sender: i64,
    live: Stream,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) {
    let Some(mirror) = live.mirror() else {
        return;
    };
    let mut options = bus_options(&config, true);
    // What is said between the machines must not wait behind the stream.
    options.name.push_str(" (media)");
    let bus = match Box::pin(Bus::connect(options)).await {
        Ok(bus) => bus,
        Err(error) => {
            tracing::error!(%error, "the stream cannot be carried to the other machines");
            return;
        }
    };
    let stream = bus.media(MediaLimits::default());
    // The newest holder of the stream that was heard of.
    let heard = watch::Sender::new(0);
    let publishing = publish(&stream, sender, mirror, &heard, &live, clock.as_ref());
    let following = follow(&stream, mirror, &heard);
    let both = futures_util::future::join(publishing, following);
    tokio::select! {
        () = stop.cancelled() => {}
        _ = Box::pin(both) => {}
    }
}

/// Tells the others whenever this machine is the newest that took in the stream.
async fn publish(
    stream: &MediaStream,
    sender: i64,
    mirror: &StreamMirror,
    heard: &watch::Sender<u64>,
    live: &Stream,
    clock: &dyn Clock,
) {
    let mut epoch = mirror.epoch();
    let mut newest = heard.subscribe();
    loop {
        let own = *epoch.borrow_and_update();
        let others = *newest.borrow_and_update();
        let Some(own) = own.filter(|own| *own >= others) else {
            tokio::select! {
                changed = epoch.changed() => if changed.is_err() { return },
                changed = newest.changed() => if changed.is_err() { return },
            }
            continue;
        };
        let (queue, sending) = stream.clone().publisher(sender.cast_unsigned());
        tracing::debug!(epoch = own, "telling the other machines of the stream");
        tokio::select! {
            () = Box::pin(sending) => {}
            () = tell(own, &queue, mirror, live, clock) => return,
            () = is_another(&mut epoch, |epoch| *epoch != Some(own)) => {}
            () = is_another(&mut newest, |newest| *newest > own) => {}
        }
    }
}

/// Completes once the value is such a one; never, if nobody is left to change it.
async fn is_another<T>(value: &mut watch::Receiver<T>, is_so: impl FnMut(&T) -> bool) {
    if value.wait_for(is_so).await.is_err() {
        std::future::pending().await
    }
}

/// Tells every snapshot, and the state of the broadcast. Ends with the stream.
async fn tell(
    epoch: u64,
    queue: &MediaQueue,
    mirror: &StreamMirror,
    live: &Stream,
    clock: &dyn Clock,
) {
    let mut publisher = SnapshotPublisher::new(epoch);
    let mut losses = queue.losses();
    let mut snapshots = mirror.snapshots();
    let mut status = live.status();
    let mut tell_again = ticks(TELL);
    loop {
        if losses.take() {
            publisher.reset();
        }
        status.mark_unchanged();
        let snapshot = snapshots.borrow_and_update().clone();
        let on_air = mirror.on_air();
        // A broadcast that another machine goes on with, and that this one still shows, is not over.
        if !live.is_mirrored() {
            let updates = publisher.tell(snapshot.as_deref(), on_air, clock.uptime());
            let mut has_room = true;
            for update in updates {
                has_room &= queue.push(update.to_bytes());
            }
            if !has_room {
                publisher.tell_inits_again();
            }
        }
        let is_there = tokio::select! {
            changed = snapshots.changed() => changed.is_ok(),
            changed = status.changed() => changed.is_ok(),
            () = losses.is_noted() => true,
            _ = tell_again.tick() => true,
        };
        if !is_there {
            return;
        }
    }
}

/// Shows what others tell.
async fn follow(stream: &MediaStream, mirror: &StreamMirror, heard: &watch::Sender<u64>) {
    // Not one loop: a reader that is asked anew each second would never find that it has heard nothing for longer.
    futures_util::future::join(hear(stream, mirror, heard), look_after(mirror)).await;
}

async fn hear(stream: &MediaStream, mirror: &StreamMirror, heard: &watch::Sender<u64>) {
    let epoch = mirror.epoch();
    let mut takes_in = mirror.takes_in();
    let mut reader = stream.clone().reader();
    let mut replica = Replica::default();
    // What is not shown yet, because newer things are kept by NATS.
    let mut newest = None;
    loop {
        let is_own = *takes_in.borrow_and_update();
        if is_own {
            // All of it would be its own, on the way back. What was told meanwhile is read when it holds the stream no more.
            reader.pause();
            is_another(&mut takes_in, |takes_in| !*takes_in).await;
            continue;
        }
        let block = tokio::select! {
            block = reader.next() => block,
            () = is_another(&mut takes_in, |takes_in| *takes_in) => continue,
        };
        // What cannot be read is of another version, perhaps.
        let Ok(update) = Update::parse(block) else {
            continue;
        };
        let own = *epoch.borrow();
        let told_in = update.epoch();
        heard.send_if_modified(|newest| {
            let is_newer = told_in > *newest;
            *newest = told_in.max(*newest);
            is_newer
        });
        // What this machine tells itself comes back here, too.
        if own.is_some_and(|own| told_in <= own) {
            continue;
        }
        newest = replica.apply(update).or(newest);
        // Whoever comes late hears of two minutes that are over.
        if !reader.is_behind()
            && let Some(told) = newest.take()
        {
            mirror.show(told);
        }
    }
}

/// Counts the viewers of what is shown, and takes it off when its machine has been silent for too long.
async fn look_after(mirror: &StreamMirror) {
    let mut look = ticks(TELL);
    loop {
        look.tick().await;
        mirror.give_up_after(GIVE_UP_AFTER);
        mirror.count_viewers();
    }
}
