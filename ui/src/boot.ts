/**
 * What the server put into the page so that the first paint needs no request.
 * In `vite dev` the placeholder is still there, and the caller fetches instead.
 */
export function readBoot<T>(): T | undefined {
  const text = document.getElementById('boot')?.textContent?.trim();
  if (!text?.startsWith('{')) return undefined;
  return JSON.parse(text) as T;
}
