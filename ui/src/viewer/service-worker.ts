/** The service worker shows a page when the server cannot be reached. The server writes it; see `/sw.js`. */
export function registerServiceWorker(): void {
  // There is none without a secure connection, and frames on other pages need none.
  if (!('serviceWorker' in navigator) || window.top !== window) return;
  // Only the built page has what it caches.
  if (import.meta.env.DEV) return;
  // The picture comes first. A browser that refuses has no such page, and nothing else is missing.
  const register = () => {
    navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' }).catch(() => {});
  };
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
}
