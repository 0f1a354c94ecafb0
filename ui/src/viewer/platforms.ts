/** Platforms whose names are not simply their ids with a capital letter. */
const NAMES: Record<string, string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  kofi: 'Ko-fi',
  lbry: 'LBRY',
  linkedin: 'LinkedIn',
  opencollective: 'Open Collective',
  paypal: 'PayPal',
  peertube: 'PeerTube',
  rss: 'RSS',
  soundcloud: 'SoundCloud',
  tiktok: 'TikTok',
  twitter: 'X (Twitter)',
  whatsapp: 'WhatsApp',
  xmpp: 'XMPP',
  youtube: 'YouTube',
};

/** How a platform writes itself; an operator's own name for one stays as it is. */
export function platformName(id: string): string {
  const known = NAMES[id.toLowerCase()];
  return known ?? id.charAt(0).toUpperCase() + id.slice(1);
}
