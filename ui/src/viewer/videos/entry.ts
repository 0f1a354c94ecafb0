/** The newest of the past streams, on the front page. */
import './videos.css';

export { LatestVideos } from './LatestVideos.tsx';
export { texts } from './texts.ts';
