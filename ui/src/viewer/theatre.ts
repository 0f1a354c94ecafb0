/** The picture as large as the window, with the chat beside it. Remembered, as it is a matter of the screen. */
import { createSignal } from 'solid-js';
import { readPreference, writePreference } from '../storage.ts';

const PREFERENCE = 'theatre';

export function createTheatre() {
  const [isOn, setOn] = createSignal(readPreference(PREFERENCE) === 'true');
  const toggle = () => {
    setOn(!isOn());
    writePreference(PREFERENCE, isOn() ? 'true' : null);
  };
  return { isOn, toggle };
}
