/** A moment: in short words where there are some, and in full when the pointer rests on them. */
import type { JSX } from 'solid-js';
import { dateTime } from '../i18n/format.ts';

export function Time(props: { at: string; text?: string; class?: string }): JSX.Element {
  return (
    <time class={props.class} datetime={props.at} title={props.text && dateTime(props.at)}>
      {props.text ?? dateTime(props.at)}
    </time>
  );
}
