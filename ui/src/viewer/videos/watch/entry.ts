/** The page of a past stream. */
import '../videos.css';
import './watch.css';

export { texts } from '../texts.ts';
export { VideoPage } from './VideoPage.tsx';
