//! One instance's side of the host: what WASI gives it (clocks and randomness, nothing else), its memory limit, and the
//! one function it can call.

use std::sync::Arc;
use std::time::Duration;

use model::Clock;
use wasmtime::component::{Linker, ResourceTable};
use wasmtime::{ResourceLimiter, StoreContextMut};
use wasmtime_wasi::clocks::{HostMonotonicClock, HostWallClock};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::host_call::HostDoor;
use super::limits::Limits;
use super::meter::Meter;
use super::output::{OutputKind, Printed};
use crate::host::HostCalls;

/// Parts of the component: Python and its libraries. A component that wants more is not ours.
const INSTANCES: usize = 200;
/// Tables of function pointers, likewise.
const TABLES: usize = 20;
/// Memories, likewise. Each has the whole limit, but Python has one.
const MEMORIES: usize = 4;
/// Functions that Python keeps pointers to. A growth beyond it fails.
const TABLE_ELEMENTS: usize = 100_000;
/// Random bytes a plugin may ask for at once; more is a trap.
const RANDOM_BYTES: u64 = 1024 * 1024;
/// Bytes that may cross to the host in one call of it; more is a trap.
pub(super) const CROSSING_BYTES: usize = 32 * 1024 * 1024;

/// What the store of an instance carries.
pub(super) struct Guest {
    wasi: WasiCtx,
    table: ResourceTable,
    pub(super) door: HostDoor,
    pub(super) meter: Arc<Meter>,
    pub(super) memory: MemoryLimit,
}

impl Guest {
    pub(super) fn new(
        host: Arc<dyn HostCalls>,
        meter: Arc<Meter>,
        printed: &Printed,
        limits: Limits,
        clock: Option<&Arc<dyn Clock>>,
    ) -> Self {
        let mut wasi = WasiCtxBuilder::new();
        wasi.stdout(printed.voice(OutputKind::Output))
            .stderr(printed.voice(OutputKind::Error))
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .max_random_size(RANDOM_BYTES);
        if let Some(clock) = clock {
            wasi.wall_clock(Told(Arc::clone(clock)))
                .monotonic_clock(Told(Arc::clone(clock)));
        }
        Self {
            wasi: wasi.build(),
            table: ResourceTable::new(),
            door: HostDoor::new(host, Arc::clone(&meter), printed, limits),
            meter,
            memory: MemoryLimit {
                allowed: limits.memory,
                used: 0,
                was_refused: false,
            },
        }
    }
}

/// The time as a clock of ours tells it. Sleeping is not its business: a plugin that sleeps really does.
struct Told(Arc<dyn Clock>);

impl HostWallClock for Told {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        let since_1970 = self.0.now().as_duration();
        since_1970.try_into().unwrap_or_default()
    }
}

impl HostMonotonicClock for Told {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        u64::try_from(self.0.uptime().as_nanos()).unwrap_or(u64::MAX)
    }
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// Lets memory grow up to a size, and remembers.
#[derive(Debug)]
pub(super) struct MemoryLimit {
    allowed: usize,
    /// Bytes of linear memory.
    pub(super) used: usize,
    /// Whether a growth was refused during this call.
    pub(super) was_refused: bool,
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let may_grow = desired <= self.allowed;
        match may_grow {
            true => self.used = desired,
            false => self.was_refused = true,
        }
        Ok(may_grow)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= TABLE_ELEMENTS)
    }

    fn instances(&self) -> usize {
        INSTANCES
    }

    fn tables(&self) -> usize {
        TABLES
    }

    fn memories(&self) -> usize {
        MEMORIES
    }
}

/// Everything an instance can reach outside itself.
pub(super) fn doors(engine: &wasmtime::Engine) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    linker.root().func_wrap_async(
        "host-call",
        |store: StoreContextMut<'_, Guest>, (name, args): (String, String)| {
            let door = store.data().door.clone();
            Box::new(async move { Ok((door.ask(name, args).await,)) })
        },
    )?;
    Ok(linker)
}
