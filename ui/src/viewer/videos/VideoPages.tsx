/** The pages below `/videos`. What is in them is fetched when one of them is opened. */
import type { JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { WithList, WithVideo } from './parts.tsx';
import type { VideosRoute } from './route.ts';
import type { VideoBoot } from './wire.ts';

export function VideoPages(props: { boot?: VideoBoot; route: VideosRoute }): JSX.Element {
  const { route } = props;
  if (route.page === 'list') {
    return <WithList>{(parts) => <Dynamic component={parts.VideosPage} boot={props.boot} />}</WithList>;
  }
  return <WithVideo>{(parts) => <Dynamic component={parts.VideoPage} boot={props.boot} id={route.id} />}</WithVideo>;
}
