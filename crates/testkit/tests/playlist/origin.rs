//! A small correct origin for the scenes, with faults that can be switched on. Its time advances only while the
//! low-latency players wait for it, so no machine is too slow and a short test sees many parts.

use std::convert::Infallible;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response, header, server, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::broken_media::{SYNC, init, part};
use crate::scene::{PARTS, Scene};

/// Interval between checks whether all players wait.
const PAUSE: Duration = Duration::from_millis(10);
const FIRST_TICK: u64 = 50;
const PLAYLIST: &str = "application/vnd.apple.mpegurl";
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    PlaylistsAreNeverGzipped,
    SegmentsLackTheirEnd,
    RangesAreIgnored,
    TheFutureIsAnswered,
    HintsAreNotServed,
    PartsSkipTime,
    PartsVanishWithTheirLine,
    /// No fault: lists that go far back.
    ListsAreLong,
    OldSegmentsAreGone,
}

impl Fault {
    /// Segments in a list, and the tick at which the origin begins: all of them are there.
    fn window(self) -> (u64, u64) {
        match self {
            Self::ListsAreLong | Self::OldSegmentsAreGone => (40, 41 * PARTS),
            _ => (Scene::video().window, FIRST_TICK),
        }
    }
}

#[derive(Clone, Debug)]
struct Origin {
    fault: Fault,
    players: Arc<Mutex<[Player; 2]>>,
}

/// The low-latency player of one rendition.
#[derive(Clone, Copy, Debug, Default)]
struct Player {
    /// Number of currently blocked reloads.
    waiting: u32,
    /// The tick of the last playlist it got.
    served: u64,
    /// The newest part it requested because of a hint.
    hinted: u64,
}

impl Player {
    fn waits(&self) -> bool {
        self.waiting > 0 && self.hinted >= self.served
    }
}

/// Starts an origin and returns the address of its multivariant playlist.
pub(crate) async fn start(fault: Fault) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hls/stream.m3u8", listener.local_addr().unwrap());
    let (ticks, now) = watch::channel(fault.window().1);
    let players = Arc::new(Mutex::new([Player::default(); 2]));
    let origin = Origin { fault, players };
    let watched = origin.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(PAUSE).await;
            if watched.players.lock().unwrap().iter().all(Player::waits) {
                ticks.send_modify(|tick| *tick += 1);
            }
        }
    });
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (origin, now) = (origin.clone(), now.clone());
            let service = service_fn(move |request| origin.clone().answer(request, now.clone()));
            let connection = server::conn::http1::Builder::new();
            let connection = connection.serve_connection(TokioIo::new(stream), service);
            tokio::spawn(async move { drop(connection.await) });
        }
    });
    url
}

impl Origin {
    async fn answer(
        self,
        request: Request<Incoming>,
        mut now: watch::Receiver<u64>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let path = request.uri().path().trim_start_matches("/hls/").to_owned();
        let query = request.uri().query().unwrap_or_default().to_owned();
        let mut answer = match path.as_str() {
            "stream.m3u8" => self.playlist(&request, MASTER, "no-cache"),
            "v.m3u8" | "a.m3u8" => self.media_playlist(&request, &path, &query, &mut now).await,
            "init-1.mp4" => media(init()),
            _ => self.media(&request, &path, &mut now).await,
        };
        for name in ["access-control-allow-origin", "timing-allow-origin"] {
            answer.headers_mut().insert(name, "*".parse().unwrap());
        }
        Ok(answer)
    }

    fn playlist(
        &self,
        request: &Request<Incoming>,
        text: &str,
        cache: &str,
    ) -> Response<Full<Bytes>> {
        let accepts_gzip = request.headers().contains_key(header::ACCEPT_ENCODING);
        let response = Response::builder()
            .header(header::CONTENT_TYPE, PLAYLIST)
            .header(header::CACHE_CONTROL, cache)
            .header(header::VARY, "accept-encoding");
        if !accepts_gzip || self.fault == Fault::PlaylistsAreNeverGzipped {
            return response.body(text.to_owned().into()).unwrap();
        }
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        let body = gzip.finish().unwrap();
        response
            .header(header::CONTENT_ENCODING, "gzip")
            .body(body.into())
            .unwrap()
    }

    async fn media_playlist(
        &self,
        request: &Request<Incoming>,
        path: &str,
        query: &str,
        now: &mut watch::Receiver<u64>,
    ) -> Response<Full<Bytes>> {
        let number = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let found = pairs.find(|(known, _)| *known == name);
            found.map(|(_, value)| value.parse::<u64>().unwrap())
        };
        let cache = match (number("_HLS_msn"), number("_HLS_part")) {
            (None, Some(_)) => return status(400),
            (None, None) => "max-age=1",
            (Some(msn), _)
                if self.fault != Fault::TheFutureIsAnswered && msn > *now.borrow() / PARTS + 2 =>
            {
                return status(400);
            }
            (Some(msn), part) => {
                if msn < *now.borrow() {
                    let wanted = msn * PARTS + part.unwrap_or(0);
                    self.player(path, |player| player.waiting += 1);
                    now.wait_for(|tick| *tick > wanted).await.unwrap();
                    let tick = *now.borrow();
                    self.player(path, |player| {
                        player.waiting -= 1;
                        player.served = tick;
                    });
                }
                "public, max-age=12"
            }
        };
        let tick = *now.borrow();
        let (letter, other) = if path == "v.m3u8" {
            ('v', "a.m3u8")
        } else {
            ('a', "v.m3u8")
        };
        let scene = Scene {
            letter,
            other: Some(other),
            window: self.fault.window().0,
            ..Scene::video()
        };
        let text = if query.contains("_HLS_skip") {
            scene.delta(tick)
        } else {
            scene.list(tick)
        };
        self.playlist(request, &text, cache)
    }

    /// Updates the state of the player that requests this name.
    fn player(&self, path: &str, change: impl FnOnce(&mut Player)) {
        let index = usize::from(path.starts_with('a'));
        change(&mut self.players.lock().unwrap()[index]);
    }

    /// `v12.m4s` or `v12.3.m4s`.
    async fn media(
        &self,
        request: &Request<Incoming>,
        path: &str,
        now: &mut watch::Receiver<u64>,
    ) -> Response<Full<Bytes>> {
        let is_audio = path.starts_with('a');
        let name = path.strip_suffix(".m4s").unwrap_or_default();
        let numbers: Option<Vec<u64>> = name
            .get(1..)
            .unwrap_or("?")
            .split('.')
            .map(|text| text.parse().ok())
            .collect();
        let tick = *now.borrow();
        match numbers.as_deref() {
            Some([msn]) if self.fault == Fault::OldSegmentsAreGone && msn + 12 < tick / PARTS => {
                status(404)
            }
            Some([msn]) if (msn + 1) * PARTS <= tick => {
                let parts: Vec<u8> = (0..PARTS)
                    .flat_map(|index| self.part(*msn, index, is_audio))
                    .collect();
                self.segment(request, parts)
            }
            Some([msn, index]) if msn * PARTS + index <= tick => {
                let wanted = msn * PARTS + index;
                if wanted == tick {
                    self.player(path, |player| player.hinted = player.hinted.max(wanted));
                }
                let is_unlisted = msn + 3 < tick / PARTS;
                if is_unlisted && self.fault == Fault::PartsVanishWithTheirLine {
                    return status(404);
                }
                if wanted == tick && self.fault == Fault::HintsAreNotServed {
                    return status(404);
                }
                now.wait_for(|tick| *tick > wanted).await.unwrap();
                media(self.part(*msn, *index, is_audio))
            }
            _ => status(404),
        }
    }

    fn segment(&self, request: &Request<Incoming>, mut bytes: Vec<u8>) -> Response<Full<Bytes>> {
        if self.fault == Fault::SegmentsLackTheirEnd {
            bytes.pop();
        }
        let range = request.headers().get(header::RANGE);
        let range = range.and_then(|range| range.to_str().unwrap().strip_prefix("bytes="));
        let Some((first, last)) = range.and_then(|range| range.split_once('-')) else {
            return media(bytes);
        };
        if self.fault == Fault::RangesAreIgnored {
            return media(bytes);
        }
        let total = bytes.len();
        let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
        let mut answer = media(bytes[first..=last].to_vec());
        *answer.status_mut() = hyper::StatusCode::PARTIAL_CONTENT;
        let said = format!("bytes {first}-{last}/{total}").parse().unwrap();
        answer.headers_mut().insert(header::CONTENT_RANGE, said);
        answer
    }

    fn part(&self, msn: u64, index: u64, is_audio: bool) -> Vec<u8> {
        let mut time = (msn * PARTS + index) * 500;
        if self.fault == Fault::PartsSkipTime && index == 2 {
            time += 1;
        }
        let is_sync = is_audio || index == 0;
        part(
            time as u32,
            10,
            Some(if is_sync { SYNC } else { 0x0101_0000 }),
        )
    }
}

const MASTER: &str = "#EXTM3U
#EXT-X-VERSION:9
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"Audio\",DEFAULT=YES,URI=\"a.m3u8\"
#EXT-X-STREAM-INF:BANDWIDTH=900000,AVERAGE-BANDWIDTH=800000,CODECS=\"avc1.640028,mp4a.40.2\",RESOLUTION=640x360,FRAME-RATE=20.000,AUDIO=\"audio\"
v.m3u8
";

fn media(bytes: Vec<u8>) -> Response<Full<Bytes>> {
    Response::builder()
        .header(header::CONTENT_TYPE, "video/mp4")
        .header(header::CACHE_CONTROL, IMMUTABLE)
        .body(bytes.into())
        .unwrap()
}

fn status(code: u16) -> Response<Full<Bytes>> {
    Response::builder()
        .status(code)
        .header(header::CACHE_CONTROL, "max-age=1")
        .body("no\n".into())
        .unwrap()
}
