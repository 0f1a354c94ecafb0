//! One instance's side of the host: its WASI state, its memory limit, and the one host function it can call.

use std::sync::Arc;

use model::Clock;
use wasmtime::component::{Component, Linker};
use wasmtime::{ResourceLimiter, StoreContextMut};

use super::host_call::HostCaller;
use super::limits::InstanceLimits;
use super::meter::Meter;
use super::output::OutputCapture;
use super::wasi::{self, Wasi};
use crate::host::HostCalls;

/// Parts of the component: Python and its libraries. A component that wants more is not ours.
const INSTANCES: usize = 200;
/// Tables of function pointers, likewise.
const TABLES: usize = 20;
/// Memories, likewise. Each has the whole limit, but Python has one.
const MEMORIES: usize = 4;
/// Functions that Python keeps pointers to. A growth beyond it fails.
const TABLE_ELEMENTS: usize = 100_000;
/// Bytes that may cross to the host in one call of it; more is a trap.
pub(super) const CROSSING_BYTES: usize = 32 * 1024 * 1024;

/// The data in an instance's store.
pub(super) struct StoreData {
    pub(super) wasi: Wasi,
    pub(super) host_caller: HostCaller,
    pub(super) meter: Arc<Meter>,
    pub(super) memory: MemoryLimit,
}

impl StoreData {
    pub(super) fn new(
        host: Arc<dyn HostCalls>,
        meter: Arc<Meter>,
        printed: &OutputCapture,
        limits: InstanceLimits,
        clock: Option<&Arc<dyn Clock>>,
    ) -> Self {
        Self {
            wasi: Wasi::new(printed, clock),
            host_caller: HostCaller::new(host, Arc::clone(&meter), printed, limits),
            meter,
            memory: MemoryLimit {
                allowed: limits.memory,
                used: 0,
                was_refused: false,
            },
        }
    }
}

/// Lets memory grow up to a limit, and records usage.
#[derive(Debug)]
pub(super) struct MemoryLimit {
    allowed: usize,
    /// Linear memory in bytes.
    pub(super) used: usize,
    /// Whether an allocation was refused during this call.
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

/// Links everything an instance can reach outside itself.
pub(super) fn build_linker(component: &Component) -> wasmtime::Result<Linker<StoreData>> {
    let mut linker = Linker::new(component.engine());
    linker.root().func_wrap_async(
        "host-call",
        |store: StoreContextMut<'_, StoreData>, (name, args): (String, String)| {
            let host_caller = store.data().host_caller.clone();
            Box::new(async move { Ok((host_caller.ask(name, args).await,)) })
        },
    )?;
    wasi::add(&mut linker, component)?;
    Ok(linker)
}
