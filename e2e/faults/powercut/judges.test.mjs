// The judges of power cuts, given what they must let pass and what they must not: no server runs here.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { judgeHeard, judgeHistory, judgeList } from './chat.mjs';
import { contentOf, judgeFound, sumsOf as sumsOfPlugin } from './plugins.mjs';
import { judgeSetting, sumsOf as sumsOfSettings } from './settings.mjs';
import { isSigned, judgeArrived, SECRET } from './webhooks.mjs';

describe('settings', () => {
  const ACKNOWLEDGED = [
    ['try', 'name', 1],
    ['ack', 'name', 1],
    ['try', 'name', 2],
    ['ack', 'name', 2],
  ];
  const OPEN = ['try', 'name', 3];

  /** Lines of a round on a server that had stored nothing, what it stores afterwards, and how many changes it logged. */
  function check(lines, stored, logged, wanted) {
    const earlier = { sums: sumsOfSettings([], ['name']), numbers: { name: 0 }, events: {} };
    const now = { sums: sumsOfSettings(lines, ['name']), numbers: { name: stored }, events: { name: logged } };
    const { lost, doubled } = judgeSetting('name', earlier, now);
    assert.deepEqual({ lost, doubled }, wanted);
  }
  const KEPT = { lost: 0, doubled: 0 };

  test('a setting that is as it was acknowledged passes, with or without the last write', () => {
    check(ACKNOWLEDGED, 2, 2, KEPT);
    check([...ACKNOWLEDGED, OPEN], 2, 2, KEPT);
    check([...ACKNOWLEDGED, OPEN], 3, 3, KEPT);
    check([['try', 'name', 1]], 0, 0, KEPT);
    check([['try', 'name', 1]], 1, 1, KEPT);
  });

  test('a setting older than acknowledged is lost', () => {
    check(ACKNOWLEDGED, 1, 2, { lost: 1, doubled: 0 });
    check(ACKNOWLEDGED, 1, 1, { lost: 2, doubled: 0 });
    check(ACKNOWLEDGED, 0, 0, { lost: 3, doubled: 0 });
    check([...ACKNOWLEDGED, OPEN], 1, 2, { lost: 1, doubled: 0 });
  });

  test('a setting that nobody wrote is found', () => {
    check(ACKNOWLEDGED, 3, 2, { lost: 1, doubled: 0 });
    check([...ACKNOWLEDGED, OPEN], 4, 3, { lost: 1, doubled: 1 });
  });

  test('a setting that is there and not in the log is lost', () => {
    check(ACKNOWLEDGED, 2, 1, { lost: 1, doubled: 0 });
    check([...ACKNOWLEDGED, OPEN], 3, 2, { lost: 1, doubled: 0 });
  });

  test('a setting that was written twice is doubled', () => {
    check(ACKNOWLEDGED, 2, 3, { lost: 0, doubled: 1 });
    check([...ACKNOWLEDGED, OPEN], 2, 3, { lost: 0, doubled: 1 });
    check([...ACKNOWLEDGED, OPEN], 3, 5, { lost: 0, doubled: 2 });
  });

  test('a setting that an earlier round left must stay when nothing is acknowledged', () => {
    const earlier = { sums: sumsOfSettings(ACKNOWLEDGED, ['name']), numbers: { name: 2 }, events: { name: 2 } };
    const now = { ...earlier, sums: sumsOfSettings([...ACKNOWLEDGED, OPEN], ['name']) };
    assert.equal(judgeSetting('name', earlier, now).lost, 0);
    assert.equal(judgeSetting('name', earlier, { ...now, numbers: { name: 1 } }).lost, 1);
  });
});

describe('chat', () => {
  const ORDER = ['a', 'b', 'c', 'd'];
  const lines = (...ids) => ids.map((id) => ({ id, body: `<p>${id}</p>` }));
  const check = (heard, wanted) =>
    assert.deepEqual(judgeHeard(heard, ORDER), { lost: 0, doubled: 0, displaced: 0, missed: 0, ...wanted });

  test('somebody who heard every line in its place passes', () => {
    check(ORDER, {});
  });

  test('a line that was heard and is not kept is lost', () => {
    check(['a', 'b', 'x', 'c', 'd'], { lost: 1 });
    check(['a', 'b', 'c', 'd', 'x'], { lost: 1 });
  });

  test('a line that was heard twice is doubled', () => {
    check(['a', 'b', 'b', 'c', 'd'], { doubled: 1, displaced: 1 });
  });

  test('lines in another order, or with a hole, are displaced', () => {
    check(['a', 'c', 'b', 'd'], { displaced: 3 });
    check(['a', 'c', 'd'], { displaced: 1 });
    check(['b', 'c', 'd'], { displaced: 1 });
  });

  test('lines at the end that somebody did not hear are missed', () => {
    check(['a', 'b'], { missed: 2 });
    check([], { missed: 4 });
  });

  test('a list that goes on from the one before passes, also where its beginning is cut off', () => {
    assert.deepEqual(judgeList(lines('a', 'b', 'c'), ['a', 'b']), { order: ['a', 'b', 'c'], doubled: 0 });
    assert.deepEqual(judgeList(lines('b', 'c', 'd'), ['a', 'b', 'c'], 3), { order: ORDER, doubled: 0 });
  });

  test('a list that lost, changed or put in a line before is refused', () => {
    for (const ids of [['a', 'c'], ['b', 'a', 'c'], ['a', 'x', 'b'], ['b', 'c'], ['a'], []]) {
      assert.throws(() => judgeList(lines(...ids), ['a', 'b']), /has changed/, ids.join());
    }
    // Nothing of what is known is in it, though it is no longer than it may be.
    assert.throws(() => judgeList(lines('d', 'e', 'f'), ['a', 'b', 'c'], 3), /has changed/);
  });

  test('a line that is listed twice is doubled, by its id and by its words', () => {
    assert.equal(judgeList(lines('a', 'b', 'b'), []).doubled, 2);
    assert.equal(judgeList([...lines('a'), { id: 'b', body: '<p>a</p>' }], []).doubled, 1);
  });

  test('a page gets the newest lines in their order and no others', () => {
    judgeHistory(lines('a', 'b', 'c', 'd'), ORDER);
    judgeHistory(lines('c', 'd'), ORDER, 2);
    for (const ids of [['a', 'b', 'c'], ['b', 'c', 'd'], ['a', 'b', 'd', 'c'], []]) {
      assert.throws(() => judgeHistory(lines(...ids), ORDER), assert.AssertionError, ids.join());
    }
    assert.throws(() => judgeHistory(lines('a', 'b', 'c', 'd'), ORDER, 2), assert.AssertionError);
  });
});

describe('webhooks', () => {
  const request = (delivery, id, more) => ({ delivery, id, isTaken: true, isGenuine: true, ...more });
  const check = (heard, arrived, wanted) =>
    assert.deepEqual(judgeArrived(new Set(heard), arrived), { lost: 0, renamed: 0, forged: 0, ...wanted });

  test('lines that arrived pass, also again under their delivery id, or when nobody heard them', () => {
    check(['a', 'b'], [request('1', 'a'), request('2', 'b')], {});
    check(['a'], [request('1', 'a', { isTaken: false }), request('1', 'a'), request('1', 'a')], {});
    check(['a'], [request('1', 'a'), request('2', 'b')], {});
  });

  test('a line that never arrived, or was never taken, is lost', () => {
    check(['a', 'b'], [request('1', 'a')], { lost: 1 });
    check(['a'], [request('1', 'a', { isTaken: false })], { lost: 1 });
    check(['a', 'b'], [], { lost: 2 });
  });

  test('a line under two delivery ids, and a delivery id of two lines, are renamed', () => {
    check(['a'], [request('1', 'a'), request('2', 'a')], { renamed: 1 });
    check(['a'], [request('1', 'a', { isTaken: false }), request('2', 'a')], { renamed: 1 });
    check(['a', 'b'], [request('1', 'a'), request('1', 'b')], { renamed: 1 });
  });

  test('a request that the server did not sign is forged', () => {
    check(['a'], [request('1', 'a', { isGenuine: false })], { forged: 1 });
  });

  test('a signature holds for its body, its secret and its time', () => {
    const sign = (body, secret) => createHmac('sha256', secret).update(`1000.${body}`).digest('hex');
    const header = `t=1000.s=${sign('{}', SECRET)}`;
    assert.ok(isSigned(header, '{}', 1001));
    assert.ok(!isSigned(header, '{ }', 1001), 'another body');
    assert.ok(!isSigned(header, '{}', 1301), 'too old');
    assert.ok(!isSigned(header, '{}', 699), 'of the future');
    assert.ok(!isSigned(header.replace('t=1000', 't=1001'), '{}', 1001), 'another time');
    assert.ok(!isSigned(`t=1000.s=${sign('{}', 'another secret')}`, '{}', 1001), 'another secret');
    for (const wrong of [undefined, '', 's=1', `${header} `]) assert.ok(!isSigned(wrong, '{}', 1001), wrong);
  });
});

describe('plugins', () => {
  const LINES = [
    ['tried', 'kv0-1', '1'],
    ['kept', 'kv0-1', '1'],
    ['tried', 'kv0-1', '21'],
    ['kept', 'kv0-1', '21'],
    ['tried', 'kv0-1', '41'],
  ];
  const check = (value, wanted, lines = LINES) => {
    const complaints = judgeFound(sumsOfPlugin(lines), { 'kv0-1': value });
    assert.equal(complaints.length, wanted ? 1 : 0, complaints.join());
    if (wanted) assert.match(complaints[0], wanted);
  };

  test('a value that was acknowledged passes, and so does one that was only tried', () => {
    check(contentOf(21));
    check(contentOf(41));
    check(contentOf(1), undefined, LINES.slice(0, 1));
    check(null, undefined, LINES.slice(0, 1));
  });

  test('a value older than acknowledged, or none, is refused', () => {
    check(contentOf(1), /has 1, kept was 21, tried 41/);
    check(null, /has 0, kept was 21/);
    check(undefined, /has 0, kept was 21/);
  });

  test('a value that nobody tried is refused', () => {
    check(contentOf(61), /has 61, kept was 21, tried 41/);
    check('noise', /has NaN/);
  });

  test('half a value is refused, and so is an empty one', () => {
    check(contentOf(21).slice(0, -1), /is not whole/);
    check(`${contentOf(41)}x`, /is not whole/);
    check('', /is not whole/, LINES.slice(0, 1));
  });
});
