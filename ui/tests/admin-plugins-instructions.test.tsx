import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blocksOf } from '../src/admin/plugins/detail/blocks.ts';
import { Blocks } from '../src/admin/plugins/detail/Markdown.tsx';
import { running, showPlugins } from './admin-plugins-fakes.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const TEXT = 'GET /api/admin/plugins/echo-bot/instructions';

describe('instructions', () => {
  test('are fetched and shown on the first tab', async () => {
    showPlugins([running({ hasInstructions: true })], { [TEXT]: { body: '# Read me\n\nSay **hello**.' } }, '/echo-bot');
    expect((await screen.findByText('Read me')).tagName).toBe('H3');
    expect(screen.getByText('hello').tagName).toBe('STRONG');
  });

  test('are never HTML, and their links lead only to other sites', () => {
    const text = '<img src=x onerror=alert(1)> [bad](javascript:alert(1)) [good](https://a.example/b) `<b>`';
    const { container } = render(() => <Blocks blocks={blocksOf(text)} />);
    expect(container.querySelector('img, b')).toBeNull();
    expect(container.textContent).toContain('<img src=x onerror=alert(1)> [bad](javascript:alert(1))');
    const links = [...container.querySelectorAll('a')];
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['https://a.example/b']);
    expect(within(container).getByText('<b>').tagName).toBe('CODE');
  });

  test('have headings, lists, quotes, code and paragraphs', () => {
    const text =
      '## Top ##\none\ntwo\n\n- a\n  more\n- b\n1. c\n> said\n```sh\n# no heading\n```\nafter\n~~~\nopen end';
    expect(blocksOf(text)).toEqual([
      { kind: 'heading', level: 2, text: 'Top' },
      { kind: 'text', text: 'one\ntwo' },
      { kind: 'ul', items: ['a\nmore', 'b'] },
      { kind: 'ol', items: ['c'] },
      { kind: 'quote', text: 'said' },
      { kind: 'code', text: '# no heading' },
      { kind: 'text', text: 'after' },
      { kind: 'code', text: 'open end' },
    ]);
  });

  test.each([
    ['| a | b |\n|---|---|\n| 1 | 2 |', ['a', 'b'], [['1', '2']]],
    [
      'a | b\n--- | ---\n1 | 2\n3',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', ''],
      ],
    ],
    ['| a |\n| --- |\n| `x \\| y` | more |', ['a'], [['`x | y`']]],
    ['|a|b|\n|-|-|\n|||', ['a', 'b'], [['', '']]],
  ])('%j is a table', (text, head, rows) => {
    expect(blocksOf(text)).toMatchObject([{ kind: 'table', head, rows }]);
  });

  test.each([['a | b\nc | d'], ['| a | b |\n|---|'], ['a\n---'], ['| a |\n| x |']])('%j is no table', (text) => {
    expect(blocksOf(text).map((block) => block.kind)).toEqual(['text']);
  });

  test('have tables that end where something else begins, in the place they were written', () => {
    const text = 'before\n| a |\n| - |\n| 1 |\n# Next\n| b |\n| - |\n\nafter';
    expect(blocksOf(text)).toEqual([
      { kind: 'text', text: 'before' },
      { kind: 'table', head: ['a'], align: [undefined], rows: [['1']] },
      { kind: 'heading', level: 1, text: 'Next' },
      { kind: 'table', head: ['b'], align: [undefined], rows: [] },
      { kind: 'text', text: 'after' },
    ]);
  });

  test('show a table as one, in a frame that scrolls by keyboard too', () => {
    const text = '| Write | To |\n|:--|--:|\n| `!wish` | **wish** <b>now</b> |';
    const { container } = render(() => <Blocks blocks={blocksOf(text)} />);
    const table = within(container).getByRole('table');
    expect(
      within(table)
        .getAllByRole('columnheader')
        .map((cell) => cell.textContent),
    ).toEqual(['Write', 'To']);
    const cells = within(table).getAllByRole('cell');
    expect(cells.map((cell) => [cell.textContent, cell.dataset.align])).toEqual([
      ['!wish', 'left'],
      ['wish <b>now</b>', 'right'],
    ]);
    expect(cells.map((cell) => cell.firstElementChild?.tagName)).toEqual(['CODE', 'STRONG']);
    expect(table.parentElement?.tabIndex).toBe(0);
  });

  test('that are long show their beginning and the rest on demand, so that the settings are found', async () => {
    const paragraphs = Array.from({ length: 30 }, (_, index) => `Paragraph ${index} ${'word '.repeat(20)}`);
    showPlugins([running({ hasInstructions: true })], { [TEXT]: { body: paragraphs.join('\n\n') } }, '/echo-bot');
    const button = await screen.findByText('Show all instructions');
    expect(screen.getByText(/^Paragraph 0 /)).toBeTruthy();
    expect(screen.queryByText(/^Paragraph 29 /)).toBeNull();
    expect(button.getAttribute('aria-expanded')).toBe('false');
    fireEvent.click(button);
    expect(screen.getByText(/^Paragraph 29 /)).toBeTruthy();
    fireEvent.click(screen.getByText('Show less'));
    expect(screen.queryByText(/^Paragraph 29 /)).toBeNull();
  });

  test('that cannot be loaded can be asked for again', async () => {
    const { routes } = showPlugins(
      [running({ hasInstructions: true })],
      { [TEXT]: { status: 500, body: {} } },
      '/echo-bot',
    );
    const again = await screen.findByText('Try again');
    routes[TEXT] = { body: 'There it is.' };
    fireEvent.click(again);
    expect(await screen.findByText('There it is.')).toBeTruthy();
  });
});
