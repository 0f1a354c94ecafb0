//! The WASI types needed here, spelled as in its interfaces.

use std::time::Duration;

use tokio::time::Instant;
use wasmtime::component::{ComponentType, Lift, Lower, Resource, ResourceType};
use wasmtime::{Result, bail};

/// Which interfaces know which of the things that can be had or, mostly, cannot.
pub(super) const THINGS: &[(&str, &[&str])] = &[
    ("io/error", &["error"]),
    ("io/poll", &["pollable"]),
    (
        "io/streams",
        &["error", "input-stream", "output-stream", "pollable"],
    ),
    ("clocks/monotonic-clock", &["pollable"]),
    ("cli/stdin", &["input-stream"]),
    ("cli/stdout", &["output-stream"]),
    ("cli/stderr", &["output-stream"]),
    ("cli/terminal-input", &["terminal-input"]),
    ("cli/terminal-output", &["terminal-output"]),
    ("cli/terminal-stdin", &["terminal-input"]),
    ("cli/terminal-stdout", &["terminal-output"]),
    ("cli/terminal-stderr", &["terminal-output"]),
    (
        "filesystem/types",
        &[
            "descriptor",
            "directory-entry-stream",
            "input-stream",
            "output-stream",
        ],
    ),
    ("filesystem/preopens", &["descriptor"]),
    ("sockets/network", &["network"]),
    ("sockets/instance-network", &["network"]),
    (
        "sockets/udp",
        &[
            "incoming-datagram-stream",
            "network",
            "outgoing-datagram-stream",
            "pollable",
            "udp-socket",
        ],
    ),
    ("sockets/udp-create-socket", &["udp-socket"]),
    (
        "sockets/tcp",
        &[
            "input-stream",
            "network",
            "output-stream",
            "pollable",
            "tcp-socket",
        ],
    ),
    ("sockets/tcp-create-socket", &["tcp-socket"]),
    (
        "sockets/ip-name-lookup",
        &["network", "pollable", "resolve-address-stream"],
    ),
];

/// Something to wait for: a time, or nothing at all.
pub(super) struct Pollable(pub(super) Option<Instant>);
/// A plugin's output stream; its number says which of the two.
pub(super) struct OutputStream;
/// An empty input stream.
pub(super) struct InputStream;
/// A network without any hosts.
pub(super) struct Network;
/// Resources that nobody can ever get: descriptors, sockets, terminals, errors. Each needs a distinct type.
pub(super) struct Never<const NUMBER: usize>;
pub(super) type IoError = Never<0>;
pub(super) type TerminalInput = Never<1>;
pub(super) type TerminalOutput = Never<2>;
pub(super) type Descriptor = Never<3>;
pub(super) type UdpSocket = Never<4>;
pub(super) type TcpSocket = Never<5>;
pub(super) type AddressStream = Never<6>;

#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Datetime {
    pub(super) seconds: u64,
    pub(super) nanoseconds: u32,
}

impl From<Duration> for Datetime {
    fn from(time: Duration) -> Self {
        Self {
            seconds: time.as_secs(),
            nanoseconds: time.subsec_nanos(),
        }
    }
}

#[derive(ComponentType, Lower)]
#[component(variant)]
pub(super) enum StreamError {
    #[component(name = "last-operation-failed")]
    #[expect(dead_code, reason = "the interface has it, and nothing here fails")]
    Failed(Resource<IoError>),
    #[component(name = "closed")]
    Closed,
}

/// All errors of the interface; only two are ever returned.
#[derive(Clone, Copy, ComponentType, Lower)]
#[component(enum)]
#[repr(u8)]
#[expect(dead_code, reason = "the interface has them")]
pub(super) enum SocketError {
    #[component(name = "unknown")]
    Unknown,
    #[component(name = "access-denied")]
    AccessDenied,
    #[component(name = "not-supported")]
    NotSupported,
    #[component(name = "invalid-argument")]
    InvalidArgument,
    #[component(name = "out-of-memory")]
    OutOfMemory,
    #[component(name = "timeout")]
    Timeout,
    #[component(name = "concurrency-conflict")]
    ConcurrencyConflict,
    #[component(name = "not-in-progress")]
    NotInProgress,
    #[component(name = "would-block")]
    WouldBlock,
    #[component(name = "invalid-state")]
    InvalidState,
    #[component(name = "new-socket-limit")]
    NewSocketLimit,
    #[component(name = "address-not-bindable")]
    AddressNotBindable,
    #[component(name = "address-in-use")]
    AddressInUse,
    #[component(name = "remote-unreachable")]
    RemoteUnreachable,
    #[component(name = "connection-refused")]
    ConnectionRefused,
    #[component(name = "connection-reset")]
    ConnectionReset,
    #[component(name = "connection-aborted")]
    ConnectionAborted,
    #[component(name = "datagram-too-large")]
    DatagramTooLarge,
    #[component(name = "name-unresolvable")]
    NameUnresolvable,
    #[component(name = "temporary-resolver-failure")]
    TemporaryResolverFailure,
    #[component(name = "permanent-resolver-failure")]
    PermanentResolverFailure,
}

#[derive(Clone, Copy, ComponentType, Lift)]
#[component(enum)]
#[repr(u8)]
#[expect(dead_code, reason = "whichever is asked for, the answer is the same")]
pub(super) enum Family {
    #[component(name = "ipv4")]
    V4,
    #[component(name = "ipv6")]
    V6,
}

/// The resource type for a name.
pub(super) fn type_of(thing: &str) -> Result<ResourceType> {
    Ok(match thing {
        "pollable" => ResourceType::host::<Pollable>(),
        "output-stream" => ResourceType::host::<OutputStream>(),
        "input-stream" => ResourceType::host::<InputStream>(),
        "network" => ResourceType::host::<Network>(),
        "error" => ResourceType::host::<IoError>(),
        "terminal-input" => ResourceType::host::<TerminalInput>(),
        "terminal-output" => ResourceType::host::<TerminalOutput>(),
        "descriptor" => ResourceType::host::<Descriptor>(),
        "udp-socket" => ResourceType::host::<UdpSocket>(),
        "tcp-socket" => ResourceType::host::<TcpSocket>(),
        "resolve-address-stream" => ResourceType::host::<AddressStream>(),
        "directory-entry-stream" => ResourceType::host::<Never<7>>(),
        "incoming-datagram-stream" => ResourceType::host::<Never<8>>(),
        "outgoing-datagram-stream" => ResourceType::host::<Never<9>>(),
        _ => bail!("{thing} has no type"),
    })
}
