/** The list of past streams. */
import './videos.css';

export { texts } from './texts.ts';
export { VideosPage } from './VideosPage.tsx';
