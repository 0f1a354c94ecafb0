/** localStorage that may be absent or refused (private windows, embedding): preferences then last for the visit. */

export function readPreference(name: string): string | null {
  try {
    return localStorage.getItem(`rillcast.${name}`);
  } catch {
    return null;
  }
}

export function writePreference(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`rillcast.${name}`);
    else localStorage.setItem(`rillcast.${name}`, value);
  } catch {
    // Nothing to do: the choice still holds until the page is closed.
  }
}
