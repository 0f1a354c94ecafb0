// @vitest-environment node
import { expect, test } from 'vitest';
import { withoutLog } from '../hls-log.ts';

test('what hls.js writes to its log is left out, and nothing that it does', () => {
  const code = `class Loader {
  log(text) { this.lines.push(text); }
  load(url) {
    this.log(\`loads \${url}\`);
    if (!url) this.warn('no address');
    else this.open(url);
    this.hls?.logger.debug('asked');
    logger.log('asked again');
    this.error = undefined;
    this.hls.trigger('error', this.warn('said'));
    return this.log('last') || url;
  }
}`;
  expect(withoutLog(code)).toBe(`class Loader {
  log(text) { this.lines.push(text); }
  load(url) {
    ;
    if (!url) ;
    else this.open(url);
    ;
    ;
    this.error = undefined;
    this.hls.trigger('error', this.warn('said'));
    return this.log('last') || url;
  }
}`);
});
