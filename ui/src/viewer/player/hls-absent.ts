/**
 * In place of modules that our stream has no use for; `hls-build.ts` says which. All of them import from here, so the
 * names are theirs.
 */

/** What is called of them all the same: to find out that they are not meant, when playing begins, stops and ends. */
class Absent {
  static probe = () => false;
  setStreamController() {}
  abort() {}
  destroy() {}
  loadClear() {
    return null;
  }
}

export default Absent;
export { Absent as AC3Demuxer };

/** Whether responses can be read while they arrive. */
export const fetchSupported = () => false;

/** How the controls call a key that is turned off, beside the list of keys. */
export const getHotkeyToken = (key: string) => (key === ' ' ? 'nospace' : `no${key.toLowerCase()}`);
