//! The engine's WASI: two clocks, randomness, two output streams, and refusals.
//!
//! Python is made for whole systems and also imports files and sockets. There are none here: no folder is open, no
//! socket can be created, no name is resolved, and nothing can be read. All other imports work on a file or socket that
//! cannot exist; calling one ends the call.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::rand;
use model::Clock;
use tokio::time::{Instant, sleep_until};
use wasmtime::component::{Component, Linker, LinkerInstance, Resource, ResourceTable};
use wasmtime::{Result, StoreContextMut, bail};

use super::output::{OutputCapture, OutputKind};
use super::store_data::StoreData;

mod types;

use types::{
    AddressStream, Datetime, Descriptor, Family, InputStream, Network, OutputStream, Pollable,
    SocketError, StreamError, THINGS, TcpSocket, TerminalInput, TerminalOutput, UdpSocket, type_of,
};

const VERSION: &str = "0.2.9";
/// Random bytes a plugin may ask for at once; more is a trap.
const RANDOM_BYTES: u64 = 1024 * 1024;
/// What a write may hand over at once.
const CHUNK: u64 = 64 * 1024;
/// More than any budget has.
const FOR_EVER: Duration = Duration::from_secs(24 * 60 * 60);
/// Things to wait for that a plugin may have at once; one more is a trap. Python lets go of each at once.
const POLLABLES: usize = 1000;

const OUTPUT: u32 = 1;
const ERROR: u32 = 2;

/// The WASI state of one instance.
pub(super) struct Wasi {
    printed: OutputCapture,
    /// Replaces the system clock. Sleeping is not affected: a plugin that sleeps really does.
    clock: Option<Arc<dyn Clock>>,
    began: Instant,
    pollables: ResourceTable,
}

impl Wasi {
    pub(super) fn new(printed: &OutputCapture, clock: Option<&Arc<dyn Clock>>) -> Self {
        let mut pollables = ResourceTable::new();
        pollables.set_max_capacity(POLLABLES);
        Self {
            printed: printed.clone(),
            clock: clock.cloned(),
            began: Instant::now(),
            pollables,
        }
    }

    /// Time since 1970.
    #[expect(
        clippy::disallowed_methods,
        reason = "where nobody gave it a clock, a plugin has the machine's, and tests give it one"
    )]
    fn wall_time(&self) -> Duration {
        match &self.clock {
            Some(clock) => clock.now().as_duration().try_into().unwrap_or_default(),
            None => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default(),
        }
    }

    /// Nanoseconds since an arbitrary start.
    fn ticks(&self) -> u64 {
        let passed = match &self.clock {
            Some(clock) => clock.uptime(),
            None => self.began.elapsed(),
        };
        u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX)
    }

    fn ready(&mut self) -> Result<Resource<Pollable>> {
        Ok(self.pollables.push(Pollable(None))?)
    }

    fn after(&mut self, nanoseconds: u64) -> Result<Resource<Pollable>> {
        // The call ends before that, however long it is.
        let wait = Duration::from_nanos(nanoseconds).min(FOR_EVER);
        Ok(self.pollables.push(Pollable(Some(Instant::now() + wait)))?)
    }

    fn times(&self, several: &[Resource<Pollable>]) -> Result<Vec<Option<Instant>>> {
        let times = several.iter().map(|one| Ok(self.pollables.get(one)?.0));
        times.collect()
    }

    fn print(&self, stream: &Resource<OutputStream>, text: &[u8]) -> Result<()> {
        let kind = match stream.rep() {
            OUTPUT => OutputKind::Output,
            ERROR => OutputKind::Error,
            _ => bail!("there is no such stream"),
        };
        self.printed.write(kind, text);
        Ok(())
    }
}

type Caller<'a> = StoreContextMut<'a, StoreData>;

/// Links all of the component's WASI imports.
pub(super) fn add(linker: &mut Linker<StoreData>, component: &Component) -> Result<()> {
    for (interface, things) in THINGS {
        let mut instance = open(linker, interface)?;
        for thing in *things {
            let is_kept = *thing == "pollable";
            instance.resource(thing, type_of(thing)?, move |mut caller, number| {
                if is_kept {
                    let wasi = &mut caller.data_mut().wasi;
                    wasi.pollables
                        .delete(Resource::<Pollable>::new_own(number))?;
                }
                Ok(())
            })?;
        }
    }
    clocks(linker)?;
    waiting(linker)?;
    streams(linker)?;
    program(linker)?;
    refusals(linker)?;
    linker.define_unknown_imports_as_traps(component)
}

fn open<'a>(
    linker: &'a mut Linker<StoreData>,
    interface: &str,
) -> Result<LinkerInstance<'a, StoreData>> {
    linker.instance(&format!("wasi:{interface}@{VERSION}"))
}

fn clocks(linker: &mut Linker<StoreData>) -> Result<()> {
    let mut wall = open(linker, "clocks/wall-clock")?;
    wall.func_wrap("now", |caller: Caller<'_>, ()| {
        Ok((Datetime::from(caller.data().wasi.wall_time()),))
    })?;
    wall.func_wrap("resolution", |_: Caller<'_>, ()| {
        Ok((Datetime::from(Duration::from_nanos(1)),))
    })?;

    let mut monotonic = open(linker, "clocks/monotonic-clock")?;
    monotonic.func_wrap("now", |caller: Caller<'_>, ()| {
        Ok((caller.data().wasi.ticks(),))
    })?;
    monotonic.func_wrap("resolution", |_: Caller<'_>, ()| Ok((1_u64,)))?;
    monotonic.func_wrap(
        "subscribe-instant",
        |mut caller: Caller<'_>, (when,): (u64,)| {
            let wasi = &mut caller.data_mut().wasi;
            let wait = when.saturating_sub(wasi.ticks());
            Ok((wasi.after(wait)?,))
        },
    )?;
    monotonic.func_wrap(
        "subscribe-duration",
        |mut caller: Caller<'_>, (wait,): (u64,)| Ok((caller.data_mut().wasi.after(wait)?,)),
    )
}

fn waiting(linker: &mut Linker<StoreData>) -> Result<()> {
    let mut poll = open(linker, "io/poll")?;
    poll.func_wrap_async(
        "[method]pollable.block",
        |caller: Caller<'_>, (one,): (Resource<Pollable>,)| {
            let times = caller.data().wasi.times(&[one]);
            Box::new(async move { first_of(times?).await.map(|_| ()) })
        },
    )?;
    poll.func_wrap_async(
        "poll",
        |caller: Caller<'_>, (several,): (Vec<Resource<Pollable>>,)| {
            let times = caller.data().wasi.times(&several);
            Box::new(async move { Ok((first_of(times?).await?,)) })
        },
    )
}

/// Waits until something is ready; returns the indices of all that are.
async fn first_of(times: Vec<Option<Instant>>) -> Result<Vec<u32>> {
    // Without a time it is ready now, and sorts before all others.
    let Some(first) = times.iter().min() else {
        bail!("there is nothing to wait for");
    };
    if let Some(time) = first {
        sleep_until(*time).await;
    }
    let now = Instant::now();
    let ready = (0..).zip(&times);
    let ready = ready.filter(|(_, time)| time.is_none_or(|time| time <= now));
    Ok(ready.map(|(place, _)| place).collect())
}

fn streams(linker: &mut Linker<StoreData>) -> Result<()> {
    type Written = Result<(), StreamError>;
    let mut streams = open(linker, "io/streams")?;
    streams.func_wrap(
        "[method]input-stream.read",
        |_: Caller<'_>, (_, _): (Resource<InputStream>, u64)| {
            Ok((Err::<Vec<u8>, _>(StreamError::Closed),))
        },
    )?;
    streams.func_wrap(
        "[method]input-stream.subscribe",
        |mut caller: Caller<'_>, (_,): (Resource<InputStream>,)| {
            Ok((caller.data_mut().wasi.ready()?,))
        },
    )?;
    streams.func_wrap(
        "[method]output-stream.check-write",
        |_: Caller<'_>, (_,): (Resource<OutputStream>,)| Ok((Ok::<_, StreamError>(CHUNK),)),
    )?;
    for name in ["write", "blocking-write-and-flush"] {
        streams.func_wrap(
            &format!("[method]output-stream.{name}"),
            |caller: Caller<'_>, (stream, text): (Resource<OutputStream>, Vec<u8>)| {
                caller.data().wasi.print(&stream, &text)?;
                Ok((Written::Ok(()),))
            },
        )?;
    }
    streams.func_wrap(
        "[method]output-stream.blocking-flush",
        |_: Caller<'_>, (_,): (Resource<OutputStream>,)| Ok((Written::Ok(()),)),
    )?;
    streams.func_wrap(
        "[method]output-stream.subscribe",
        |mut caller: Caller<'_>, (_,): (Resource<OutputStream>,)| {
            Ok((caller.data_mut().wasi.ready()?,))
        },
    )?;
    open(linker, "cli/stdin")?.func_wrap("get-stdin", |_: Caller<'_>, ()| {
        Ok((Resource::<InputStream>::new_own(0),))
    })?;
    for (interface, name, number) in [
        ("cli/stdout", "get-stdout", OUTPUT),
        ("cli/stderr", "get-stderr", ERROR),
    ] {
        open(linker, interface)?.func_wrap(name, move |_: Caller<'_>, ()| {
            Ok((Resource::<OutputStream>::new_own(number),))
        })?;
    }
    Ok(())
}

/// Program start and exit, and randomness.
fn program(linker: &mut Linker<StoreData>) -> Result<()> {
    let mut environment = open(linker, "cli/environment")?;
    environment.func_wrap("get-environment", |_: Caller<'_>, ()| {
        Ok((Vec::<(String, String)>::new(),))
    })?;
    environment.func_wrap("get-arguments", |_: Caller<'_>, ()| {
        Ok((Vec::<String>::new(),))
    })?;
    open(linker, "cli/exit")?.func_wrap(
        "exit",
        |_: Caller<'_>, (_,): (Result<(), ()>,)| -> Result<()> {
            bail!("it ended itself, as by os._exit")
        },
    )?;
    open(linker, "cli/terminal-stdin")?.func_wrap("get-terminal-stdin", |_: Caller<'_>, ()| {
        Ok((None::<Resource<TerminalInput>>,))
    })?;
    for name in ["stdout", "stderr"] {
        open(linker, &format!("cli/terminal-{name}"))?
            .func_wrap(&format!("get-terminal-{name}"), |_: Caller<'_>, ()| {
                Ok((None::<Resource<TerminalOutput>>,))
            })?;
    }
    open(linker, "random/random")?.func_wrap(
        "get-random-bytes",
        |_: Caller<'_>, (length,): (u64,)| {
            if length > RANDOM_BYTES {
                bail!("it asked for {length} random bytes at once; {RANDOM_BYTES} is the most");
            }
            let mut bytes = vec![0; usize::try_from(length)?];
            rand::fill(&mut bytes)?;
            Ok((bytes,))
        },
    )
}

/// No files, no sockets, no names.
fn refusals(linker: &mut Linker<StoreData>) -> Result<()> {
    const DENIED: SocketError = SocketError::AccessDenied;
    open(linker, "filesystem/preopens")?.func_wrap("get-directories", |_: Caller<'_>, ()| {
        Ok((Vec::<(Resource<Descriptor>, String)>::new(),))
    })?;
    open(linker, "sockets/instance-network")?
        .func_wrap("instance-network", |_: Caller<'_>, ()| {
            Ok((Resource::<Network>::new_own(0),))
        })?;
    open(linker, "sockets/udp-create-socket")?
        .func_wrap("create-udp-socket", |_: Caller<'_>, (_,): (Family,)| {
            Ok((Err::<Resource<UdpSocket>, _>(DENIED),))
        })?;
    open(linker, "sockets/tcp-create-socket")?
        .func_wrap("create-tcp-socket", |_: Caller<'_>, (_,): (Family,)| {
            Ok((Err::<Resource<TcpSocket>, _>(DENIED),))
        })?;
    open(linker, "sockets/ip-name-lookup")?.func_wrap(
        "resolve-addresses",
        |_: Caller<'_>, (_, _): (Resource<Network>, String)| {
            let unknown = SocketError::PermanentResolverFailure;
            Ok((Err::<Resource<AddressStream>, _>(unknown),))
        },
    )
}
