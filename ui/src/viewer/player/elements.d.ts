/** The custom elements of media-chrome in JSX: plain elements with attributes of their own. */
import type { JSX } from 'solid-js';

type Control = JSX.HTMLAttributes<HTMLElement>;

declare module 'solid-js' {
  namespace JSX {
    interface ExplicitAttributes {
      nohotkeys: string;
      novolumepref: string;
      nomutedpref: string;
      noautoseektolive: string;
      noautohide: string | undefined;
      defaultstreamtype: string;
      liveedgeoffset: string;
      'aria-keyshortcuts': string;
    }

    interface IntrinsicElements {
      'media-controller': Control;
      'media-control-bar': Control;
      'media-play-button': Control;
      'media-mute-button': Control;
      'media-volume-range': Control;
      'media-live-button': Control;
      'media-pip-button': Control;
      'media-fullscreen-button': Control;
      'media-airplay-button': Control;
    }
  }
}
