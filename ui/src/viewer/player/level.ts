/** How loud it is right now. Only looked at: what is heard does not pass through here. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';

const SAMPLES = 512;
/** Often enough to look alive. */
const LOOK_MS = 80;
/** Speech at an ordinary level fills the meter. */
const FULL = 0.25;

/** What not every browser has. */
type CapturableVideo = HTMLVideoElement & { captureStream?: () => MediaStream; mozCaptureStream?: () => MediaStream };

/** From 0 to 1; where the browser does not let anybody listen it stays at 0. */
export function createLevel(video: CapturableVideo): Accessor<number> {
  const [level, setLevel] = createSignal(0);
  if (typeof AudioContext !== 'function' || matchMedia('(prefers-reduced-motion: reduce)').matches) return level;

  let context: AudioContext | undefined;
  let listened: MediaStreamTrack | undefined;
  let analyser: AnalyserNode | undefined;
  const samples = new Float32Array(SAMPLES);

  /** The track is another one after each new start. */
  const listen = () => {
    const stream = (video.captureStream ?? video.mozCaptureStream)?.call(video);
    const track = stream?.getAudioTracks()[0];
    if (!track || track === listened) return;
    listened = track;
    context ??= new AudioContext();
    analyser = context.createAnalyser();
    analyser.fftSize = SAMPLES;
    context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
  };
  const look = () => {
    if (document.hidden) return;
    try {
      if (!listened || listened.readyState === 'ended') listen();
    } catch {
      clearInterval(timer);
    }
    // Allowed only after a press on the page, like sound itself.
    if (context?.state === 'suspended') void context.resume().catch(() => {});
    if (!analyser) return;
    analyser.getFloatTimeDomainData(samples);
    const mean = samples.reduce((sum, sample) => sum + sample * sample, 0) / SAMPLES;
    setLevel(video.paused ? 0 : Math.min(Math.sqrt(mean) / FULL, 1));
  };
  const timer = setInterval(look, LOOK_MS);
  onCleanup(() => {
    clearInterval(timer);
    void context?.close();
  });
  return level;
}
