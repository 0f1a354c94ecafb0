/** The list of past streams, and the newest of them on the front page. */
import './videos.css';

export { LatestVideos } from './LatestVideos.tsx';
export { texts } from './texts.ts';
export { VideosPage } from './VideosPage.tsx';
