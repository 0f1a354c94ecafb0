/** Safari's own player. It does low latency, qualities and AirPlay by itself; we only start it again after errors. */
import { AUTOMATIC, type Engine, type EngineOptions, PLAYLIST, type Timeline } from './engine.ts';

/** How far from the end of what can be reached Safari likes to play. */
const EDGE_SECONDS = 3;

/** Safari knows the wall-clock time of the first frame; the types do not know that. */
type DatedVideo = HTMLVideoElement & { getStartDate?: () => Date };

export function makeNativeEngine(video: DatedVideo, options: EngineOptions): Engine {
  const onError = () => options.onTrouble(video.error?.code === MediaError.MEDIA_ERR_DECODE ? 'media' : 'network');
  const load = () => {
    video.src = options.source ?? PLAYLIST;
    video.load();
  };
  /** The whole of what can be reached is one piece to it. */
  const timeline = (): Timeline | undefined => {
    const { seekable } = video;
    const startDate = video.getStartDate?.().getTime() ?? Number.NaN;
    if (seekable.length === 0 || !Number.isFinite(startDate)) return undefined;
    const [start, end] = [seekable.start(0), seekable.end(seekable.length - 1)];
    return { fragments: [{ start, duration: end - start, programDateTime: startDate + start * 1000 }], edge: end };
  };
  const onLoaded = () => {
    const list = timeline();
    const place = list && options.begin?.(list);
    if (place !== undefined) video.currentTime = place;
  };
  const edge = () => (video.seekable.length > 0 ? video.seekable.end(video.seekable.length - 1) : undefined);
  const behind = () => Math.max((edge() ?? 0) - EDGE_SECONDS - video.currentTime, 0);

  video.addEventListener('error', onError);
  video.addEventListener('loadedmetadata', onLoaded);
  load();

  return {
    latency: () => {
      const start = video.getStartDate?.().getTime() ?? Number.NaN;
      const seconds = (Date.now() - start) / 1000 - video.currentTime;
      return Number.isFinite(seconds) ? Math.max(seconds, 0) : undefined;
    },
    behind,
    // It keeps its distance by itself, and not the one assumed here.
    isLiveBuffered: () => false,
    connection: () => ({}),
    rescue: () => {},
    seekToLive: () => {
      const end = edge();
      if (end !== undefined) video.currentTime = end - EDGE_SECONDS;
    },
    timeline,
    seek: (position) => {
      video.currentTime = position;
    },
    setLowLatency: () => {},
    forgetStalls: () => {},
    setQuality: () => {},
    shownQuality: () => AUTOMATIC,
    refreshQualities: () => {},
    reload: load,
    mend: load,
    destroy: () => {
      video.removeEventListener('error', onError);
      video.removeEventListener('loadedmetadata', onLoaded);
      video.removeAttribute('src');
      video.load();
    },
  };
}
