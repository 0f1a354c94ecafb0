/** Addresses nobody may connect from. */
import { createSignal, type JSX } from 'solid-js';
import { Icon } from '../../../design/Icon.tsx';
import { TextField } from '../../../design/TextField.tsx';
import { Time } from '../../../design/Time.tsx';
import { ta } from '../../../i18n/admin.ts';
import { DataTable } from '../../lists/DataTable.tsx';
import { ListView } from '../../lists/ListView.tsx';
import { RowTool } from '../../lists/RowTool.tsx';
import { createList } from '../../lists/source.ts';
import { announced, banAddress, unbanAddress } from '../actions.ts';
import { isAddress } from '../addresses.ts';
import type { AddressBan } from '../wire.ts';

export function AddressBans(): JSX.Element {
  const bans = createList<AddressBan>('/api/admin/chat/users/ipbans');
  const remove = async (address: string) => {
    await announced(unbanAddress(address), ta('addresses.removed', { address }));
    await bans.refresh();
  };
  return (
    <section class="card">
      <p class="muted small">{ta('addresses.text')}</p>
      <AddAddress onAdded={() => void bans.refresh()} />
      <ListView
        list={bans}
        empty={{ icon: 'globe', title: ta('addresses.empty.title'), text: ta('addresses.empty.text') }}
      >
        <DataTable
          rows={bans.entries() ?? []}
          columns={[
            { label: ta('people.address'), cell: (ban) => <code>{ban.ipAddress}</code> },
            { label: ta('addresses.noted'), wide: true, cell: (ban) => ban.notes },
            { label: ta('addresses.since'), cell: (ban) => <Time at={ban.createdAt} /> },
          ]}
          actions={(ban) => (
            <RowTool
              icon="trash"
              label={ta('editor.remove')}
              name={ta('addresses.remove', { address: ban.ipAddress })}
              onPress={() => void remove(ban.ipAddress)}
            />
          )}
        />
      </ListView>
    </section>
  );
}

function AddAddress(props: { onAdded: () => void }): JSX.Element {
  const [address, setAddress] = createSignal('');
  const [notes, setNotes] = createSignal('');
  const [error, setError] = createSignal('');
  const [busy, setBusy] = createSignal(false);

  const submit = async (event: Event) => {
    event.preventDefault();
    const value = address().trim();
    if (!isAddress(value)) return setError(ta('addresses.invalid'));
    setBusy(true);
    setError('');
    try {
      await banAddress(value, notes().trim());
      setAddress('');
      setNotes('');
      props.onAdded();
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form class="address-form" onSubmit={(event) => void submit(event)} novalidate>
      <TextField label={ta('people.address')} value={address()} error={error()} onInput={setAddress} />
      <TextField label={ta('addresses.note')} value={notes()} onInput={setNotes} />
      <button type="submit" class="button" disabled={busy()}>
        <Icon name="ban" />
        {ta('addresses.ban')}
      </button>
    </form>
  );
}
