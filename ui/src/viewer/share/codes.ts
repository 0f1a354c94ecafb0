/** What a visitor takes elsewhere. */

/** The address to hand on: the operator's public one, which the server writes into the page, or else the one in use. */
export function pageAddress(): string {
  const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href;
  return canonical ?? `${location.origin}/`;
}

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

const frame = (address: string, title: string, size: string, allow: string) =>
  `<iframe src="${escaped(address)}" title="${escaped(title)}" ${size}${allow} style="border:0"></iframe>`;

/** A player for another page. */
export const playerCode = (address: string, title: string): string =>
  frame(
    address,
    title,
    'width="640" height="360"',
    ' allow="autoplay; fullscreen; picture-in-picture" allowfullscreen',
  );

/** The player for another page, with the chat beside it if that is wanted. */
export function embedCode(address: string, name: string, withChat: boolean): string {
  const player = playerCode(new URL('/embed/video', address).href, name);
  const chat = new URL('/embed/chat/readwrite', address).href;
  return withChat ? `${player}\n${frame(chat, name, 'width="320" height="360"', '')}` : player;
}
