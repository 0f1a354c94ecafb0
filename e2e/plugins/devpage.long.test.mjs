// The author's page in every look. Each leaves a picture, and fits its window.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsWidth, shot, useBrowser } from '../lib/browser.mjs';
import { BELL, say, devServerFor } from './lib/dev-server.mjs';

const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

const withPage = useBrowser();

for (const colorScheme of ['light', 'dark']) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    test(`the author’s page looks well: ${size}, ${colorScheme}`, (t) =>
      withPage({ colorScheme, viewport, hasTouch: size === 'phone', isMobile: size === 'phone' }, async (page) => {
        const look = async (name) => {
          await shot(page, `dev-server-${name}-${size}-${colorScheme}`);
          assert.ok(await fitsWidth(page), `${name} fits`);
        };
        const devServer = await devServerFor(t);
        await page.goto(devServer.http);
        await page.getByText(/^Loaded at /).waitFor();
        await look('empty');
        for (const line of ['hi', '!ring', 'break']) {
          await say(page, line);
          await page.getByRole('log', { name: 'Chat' }).getByText(line, { exact: true }).waitFor();
        }
        await page.getByText('AttributeError').first().waitFor();
        await look('busy');
        await page.getByRole('heading', { name: 'What it keeps' }).scrollIntoViewIfNeeded();
        await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
        await look('kept');
        await page.evaluate(() => window.scrollTo(0, 0));
        await page.getByText('What it may do and what it listens to').click();
        devServer.write('src/plugin.py', BELL.replace('def ring(ctx):', 'def ring(ctx:'));
        await page.getByRole('alert').getByText('SyntaxError').waitFor();
        await look('broken');
      }));
  }
}
