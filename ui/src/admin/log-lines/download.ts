/** Gives the browser a text to keep as a file. */
export function downloadText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** "rillcast-log-2026-01-02-1200.txt", by the newest line. */
export function logFileName(newest: string | undefined): string {
  const time = (newest ?? new Date().toISOString()).slice(0, 16).replace('T', '-').replace(':', '');
  return `rillcast-log-${time}.txt`;
}
