import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataTable } from '../src/admin/lists/DataTable.tsx';
import { ListView } from '../src/admin/lists/ListView.tsx';
import { RowTool } from '../src/admin/lists/RowTool.tsx';
import { speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

interface Boat {
  id: number;
  name: string;
  length: number;
}
const gull: Boat = { id: 1, name: 'Gull', length: 7 };
const tern: Boat = { id: 2, name: 'Tern', length: 9 };

function showTable(boats: Boat[], sink?: (boat: Boat) => void) {
  return render(() => (
    <DataTable
      label="Boats"
      rows={boats}
      data={({ id }) => ({ 'data-id': id })}
      columns={[
        { label: 'Name', heading: true, cell: ({ name }) => <strong>{name}</strong> },
        { label: 'Length', wide: true, title: ({ length }) => `${length} metres`, cell: (boat) => boat.length },
      ]}
      actions={sink && ((boat) => <RowTool icon="trash" label="Sink" of={boat.name} onPress={() => sink(boat)} />)}
    />
  ));
}

describe('a table', () => {
  test('has a name, a head cell for each column and a row for each entry', () => {
    showTable([gull, tern]);
    const table = within(screen.getByRole('table', { name: 'Boats' }));
    expect(table.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Name', 'Length']);
    expect(table.getByRole('row', { name: 'Tern 9' }).dataset.id).toBe('2');
  });

  test('tells every value what its column says, for the cards on a phone; the name of the row needs no label', () => {
    showTable([gull]);
    const [name, length] = screen.getAllByRole('cell');
    expect(name?.dataset.label).toBeUndefined();
    expect(length?.dataset.label).toBe('Length');
    expect(length?.title).toBe('7 metres');
    expect(length?.className).toBe('cell-wide');
  });

  test('gives each row its actions, in a column whose head only screen readers meet', () => {
    const sunk: Boat[] = [];
    showTable([gull, tern], (boat) => sunk.push(boat));
    expect(screen.getByRole('columnheader', { name: 'Actions' }).querySelector('.visually-hidden')).not.toBeNull();
    fireEvent.click(screen.getByLabelText('Sink: Tern'));
    expect(sunk).toEqual([tern]);
  });

  test('changes only the value that changed', () => {
    const [boats, setBoats] = createStore([{ ...gull }, { ...tern }]);
    showTable(boats);
    const name = screen.getByText('Gull');
    setBoats(0, 'length', 8);
    expect(screen.getByRole('row', { name: 'Gull 8' }).contains(name)).toBe(true);
  });
});

describe('a list', () => {
  function showList() {
    const [entries, setEntries] = createSignal<Boat[]>();
    const [failure, setFailure] = createSignal<string>();
    let asked = 0;
    const refresh = async () => {
      asked += 1;
    };
    render(() => (
      <ListView list={{ entries, failure, refresh }} empty={{ icon: 'globe', title: 'No boats', text: 'Build one.' }}>
        <p>The fleet</p>
      </ListView>
    ));
    return { setEntries, setFailure, asked: () => asked };
  }

  test('says that it is loading until there is an answer', () => {
    showList();
    expect(screen.getByRole('status').textContent).toContain('Loading');
  });

  test('has words of its own while it is empty', () => {
    showList().setEntries([]);
    expect(screen.getByRole('heading', { name: 'No boats' })).toBeTruthy();
    expect(screen.getByText('Build one.')).toBeTruthy();
  });

  test('says why it could not be loaded, and asks again on a press', () => {
    const { setFailure, asked } = showList();
    setFailure('the database is busy');
    expect(screen.getByText('the database is busy')).toBeTruthy();
    fireEvent.click(screen.getByText('Try again'));
    expect(asked()).toBe(1);
  });

  test('keeps what it shows when a later answer fails', () => {
    const { setEntries, setFailure } = showList();
    setEntries([gull]);
    setFailure('');
    expect(screen.getByText('The fleet')).toBeTruthy();
    expect(screen.queryByText('Try again')).toBeNull();
  });
});
