/** Addresses nobody may connect from. */
import { createResource, createSignal, For, type JSX, Match, Switch } from 'solid-js';
import { api } from '../../../api.ts';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { Icon } from '../../../design/Icon.tsx';
import { TextField } from '../../../design/TextField.tsx';
import { ta } from '../../../i18n/admin.ts';
import { dateTime } from '../../../i18n/format.ts';
import { explain } from '../../session.ts';
import { announced, banAddress, unbanAddress } from '../actions.ts';
import { isAddress } from '../addresses.ts';
import type { AddressBan } from '../wire.ts';

export function AddressBans(): JSX.Element {
  const [bans, { refetch }] = createResource(() => api.get<AddressBan[]>('/api/admin/chat/users/ipbans'));
  const remove = async (address: string) => {
    await announced(unbanAddress(address), ta('addresses.removed', { address }));
    await refetch();
  };
  return (
    <section class="card">
      <p class="muted small">{ta('addresses.text')}</p>
      <AddAddress onAdded={() => void refetch()} />
      <Switch fallback={<Skeleton />}>
        <Match when={bans.error}>
          <LoadError title={ta('error.load')} text={explain(bans.error)} onRetry={() => void refetch()} />
        </Match>
        <Match when={bans.latest?.length}>
          <BanTable bans={bans.latest ?? []} onRemove={(address) => void remove(address)} />
        </Match>
        <Match when={bans.latest}>
          <EmptyState icon="globe" title={ta('addresses.empty.title')}>
            <p>{ta('addresses.empty.text')}</p>
          </EmptyState>
        </Match>
      </Switch>
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

function BanTable(props: { bans: AddressBan[]; onRemove: (address: string) => void }): JSX.Element {
  return (
    <div class="table-frame">
      <table class="table people-table">
        <thead>
          <tr>
            <th scope="col">{ta('people.address')}</th>
            <th scope="col">{ta('addresses.noted')}</th>
            <th scope="col">{ta('addresses.since')}</th>
            <th scope="col">
              <span class="visually-hidden">{ta('people.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={props.bans}>
            {(ban) => (
              <tr>
                <td data-label={ta('people.address')}>
                  <code>{ban.ipAddress}</code>
                </td>
                <td class="people-wide" data-label={ta('addresses.noted')}>
                  {ban.notes}
                </td>
                <td data-label={ta('addresses.since')}>
                  <time datetime={ban.createdAt}>{dateTime(ban.createdAt)}</time>
                </td>
                <td class="people-actions">
                  <button
                    type="button"
                    class="icon-button"
                    aria-label={ta('addresses.remove', { address: ban.ipAddress })}
                    title={ta('editor.remove')}
                    onClick={() => props.onRemove(ban.ipAddress)}
                  >
                    <Icon name="trash" />
                  </button>
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}
