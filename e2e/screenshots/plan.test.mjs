// What the screenshots are made of, before any browser is started.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from './plan.mjs';
import { menuRoutes, STATES } from './states.mjs';

const LANGUAGES = ['en', 'de', 'ar'];
const idsOf = (jobs) => jobs.map(({ id }) => id);

test('every state has a picture, also in the short round', () => {
  for (const isShort of [false, true]) {
    const pictured = new Set(plan(STATES, { isShort, languages: LANGUAGES }).map(({ state }) => state));
    assert.deepEqual(
      STATES.filter((state) => !pictured.has(state)),
      [],
    );
  }
});

test('every page of the operator’s menu is looked at with nothing on it and with something', () => {
  const names = STATES.map(({ page, name }) => `${page}/${name}`);
  for (const route of menuRoutes()) {
    const place = `admin: ${route || 'home'}`;
    assert.ok(names.includes(`${place}/empty`) && names.includes(`${place}/filled`), place);
  }
  assert.ok(menuRoutes().length > 20, 'the list of pages was read');
});

test('a language that the pages do not speak is left out', () => {
  const spoken = plan(STATES, { languages: ['en'] });
  assert.ok(spoken.length > 0 && spoken.every(({ variant }) => variant.language === 'en'));
});

test('a pattern chooses among pages, states and variants', () => {
  const states = [
    { page: 'viewer', name: 'offline' },
    { page: 'viewer', name: 'share dialog', isMain: true },
  ];
  const chosen = plan(states, { only: /share.*phone-dark/, languages: LANGUAGES });
  assert.deepEqual(idsOf(chosen), ['viewer--share-dialog--phone-dark-de']);
});

test('two states of one name are refused, as one picture would replace the other', () => {
  const states = [
    { page: 'viewer', name: 'a b' },
    { page: 'viewer', name: 'a-b' },
  ];
  assert.throws(() => plan(states, { languages: LANGUAGES }), /two states/);
});

test('a state of small screens alone has no picture of a desktop', () => {
  const jobs = plan([{ page: 'viewer', name: 'tab', only: ['phone'] }], { isShort: true, languages: LANGUAGES });
  assert.deepEqual(idsOf(jobs), ['viewer--tab--phone-dark-de']);
});
