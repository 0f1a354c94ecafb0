/** What a visitor takes elsewhere. */

/** The address to hand on: the operator's public one, which the server writes into the page, or else the one in use. */
export function pageAddress(): string {
  const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href;
  return canonical ?? `${location.origin}/`;
}

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

/** The player for another page, with the chat beside it if that is wanted. */
export function embedCode(address: string, name: string, withChat: boolean): string {
  const title = escaped(name);
  const frame = (path: string, size: string, allow: string) =>
    `<iframe src="${escaped(new URL(path, address).href)}" title="${title}" ${size}${allow} style="border:0"></iframe>`;
  const player = frame(
    '/embed/video',
    'width="640" height="360"',
    ' allow="autoplay; fullscreen; picture-in-picture" allowfullscreen',
  );
  return withChat ? `${player}\n${frame('/embed/chat/readwrite', 'width="320" height="360"', '')}` : player;
}
