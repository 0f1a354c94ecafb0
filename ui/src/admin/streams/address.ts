/** Where past streams are: for people, and for this page. */
import { pathname, routeBelow } from '../../router.tsx';

export const BASE = '/admin/streams';
export const STREAMS = '/api/admin/streams';

/** The stream the address names, as it is written there; empty for the list. */
export const chosenStream = (): string => (pathname().startsWith(`${BASE}/`) ? routeBelow(BASE, pathname()) : '');
