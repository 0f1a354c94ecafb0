/**
 * The address of a picture, if it is this server's own. To fetch one from elsewhere would tell a stranger's server the
 * address of everybody who looks, so people and servers from elsewhere are shown without.
 */
export function ownPicture(address: string | null | undefined): string | undefined {
  if (!address || !URL.canParse(address, location.origin)) return undefined;
  return new URL(address, location.origin).origin === location.origin ? address : undefined;
}
