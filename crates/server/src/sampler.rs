//! Samples the load of the machine and the number of viewers for the operator's graphs.

use std::path::PathBuf;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use web::App;

use crate::hardware::{self, CpuTimes};

/// Between two counts of the viewers.
const VIEWERS_EVERY: Duration = Duration::from_secs(60);
/// Counts of the viewers between two looks at the machine: two minutes.
const HARDWARE_ROUNDS: u32 = 2;
/// The first look at the processors compares two moments this far apart.
const FIRST_LOOK: Duration = Duration::from_millis(500);

/// Runs until `stop`.
pub(crate) async fn run(app: App, folder: PathBuf, stop: CancellationToken) {
    let mut times = hardware::cpu_times();
    let mut round: u32 = 0;
    let mut pause = FIRST_LOOK;
    count_viewers(&app);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = VIEWERS_EVERY;
        if round > 0 {
            count_viewers(&app);
        }
        if round.is_multiple_of(HARDWARE_ROUNDS) {
            times = look_at_machine(&app, folder.clone(), times).await;
        }
        round = round.wrapping_add(1);
    }
}

fn count_viewers(app: &App) {
    let viewers = app.live.status.borrow().viewers;
    app.readings
        .note_viewers(app.clock.now(), app.clock.uptime(), viewers);
}

/// Records the load since `before` and returns the current processor times.
async fn look_at_machine(app: &App, folder: PathBuf, before: Option<CpuTimes>) -> Option<CpuTimes> {
    let looked = tokio::task::spawn_blocking(move || {
        let times = hardware::cpu_times();
        (times, hardware::look(before, times, &folder))
    });
    let (times, hardware) = looked.await.ok()?;
    if let Some(hardware) = hardware {
        app.readings.note_hardware(app.clock.now(), hardware);
    }
    times
}
