/** Places in a recording, as people write them: "1:02:30", "2:30", "45", "2:30.5". */

/** Seconds, or undefined where it is none of these; minutes and seconds behind a colon have at most two digits. */
export function parseTime(text: string): number | undefined {
  const match = /^(?:(?:(\d+):)?([0-5]?\d):)?(\d+(?:[.,]\d+)?)$/.exec(text.trim());
  if (!match) return undefined;
  const [hours = '0', minutes = '0', rest = '0'] = match.slice(1);
  const seconds = Number(rest.replace(',', '.'));
  if (match[2] !== undefined && seconds >= 60) return undefined;
  return Number(hours) * 3600 + Number(minutes) * 60 + seconds;
}

/** With a digit behind the point where there is more than whole seconds, so that saving it again moves nothing far. */
export function writeTime(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const [whole, rest] = [Math.floor(tenths / 10), tenths % 10];
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const end = `${two(whole % 60)}${rest > 0 ? `.${rest}` : ''}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${end}` : `${minutes}:${end}`;
}
