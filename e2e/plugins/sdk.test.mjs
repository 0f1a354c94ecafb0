// What the tests of the SDK leave out where there is no host: here is one, so here they run.
import { test } from 'node:test';
import { ownTests } from './lib/sdk.mjs';

test('the whole way of a plugin works with the real host, and so does every example', () => ownTests('test_story.py'));

test('the scenario runner ends and speaks as the SDK expects', () => ownTests('test_runner.py'));

test('the tutorial works step by step in an empty folder', () => ownTests('test_tutorial.py'));
