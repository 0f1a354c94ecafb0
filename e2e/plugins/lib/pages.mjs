// A person at the plugins' pages of the operator.
import { PASSWORD } from '../../lib/admin.mjs';
import { fileOf } from './packages.mjs';

export async function signIn(page, server, path = '/admin/plugins') {
  await page.goto(server.http + path);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Plugins' }).waitFor();
}

/** Picks a file as people do, by the button. */
export async function choose(page, name, bytes) {
  const chooser = page.waitForEvent('filechooser');
  await page.getByText('Choose a file', { exact: true }).click();
  await (await chooser).setFiles(fileOf(name, bytes));
}

/** Presses a button of the plugin that is shown, and agrees to the question. */
export async function confirm(page, name) {
  await page.locator('.plugin-tools').getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** The state of the plugin that is shown. */
export const badge = (page, text) => page.locator('.plugin-head .plugin-state', { hasText: new RegExp(`^${text}$`) });

export const openTab = (page, name) => page.getByRole('tab', { name, exact: true }).click();

/** What has the focus, in words. */
export const focused = (page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

/** Adds to the viewers' page in every way there is, and tries to get out of its frame. */
export const NOTES = {
  manifest: {
    slug: 'notes',
    name: 'River notes',
    description: 'What was seen along the way.',
    permissions: ['ui.modify'],
    tabs: { notes: { title: 'Notes' } },
    extraPageContent: { slug: 'level' },
    styles: ['notes.css'],
    scripts: ['notes.js'],
    actions: [{ title: 'Map', html: '<p>Down the river, then left.</p>' }],
  },
  code: `
from service_plugin import plugin

@plugin.on_page_content("level")
def level(request):
    return """
      <div class="card gauge row"><strong>Water level 1.42 m</strong> <span class="tag">falling</span></div>
      <p class="muted">Measured at the old mill every ten minutes.</p>"""

@plugin.on_tab_content("notes")
def notes(request):
    return """
      <h2>Seen today</h2>
      <div class="card-grid">
        <div class="card"><strong>Otter</strong><p class="muted">below the old mill, 08:14</p></div>
        <div class="card"><strong>Kingfisher</strong><p class="muted">twice, at the bridge</p></div>
        <div class="card"><strong>Heron</strong> <span class="tag">new</span></div>
      </div>
      <p id="apart"></p>
      <script>
        let outcome = 'kept apart';
        for (const attempt of [() => parent.document.title = 'hurt', () => localStorage.length, () => document.cookie]) {
          try { attempt(); outcome = 'got out'; } catch {}
        }
        document.getElementById('apart').textContent = outcome;
      </script>"""
`,
  files: {
    'assets/notes.css': ':root { --notes-were-here: 1 }\n.gauge { border-inline-start: 0.4rem solid teal }\n',
    'assets/notes.js': 'document.documentElement.dataset.notes = location.pathname;\n',
  },
};
