/** Links by which somebody becomes a moderator: made here, shown once, and taken back while nobody has used them. */
import { createSignal, type JSX, Show } from 'solid-js';
import { api } from '../../../api.ts';
import { Banner } from '../../../design/Feedback.tsx';
import { Icon } from '../../../design/Icon.tsx';
import { Time } from '../../../design/Time.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { dateTime } from '../../../i18n/format.ts';
import { publicAddress } from '../../home/addresses.ts';
import { SecretCard } from '../../integrations/SecretCard.tsx';
import { DataTable } from '../../lists/DataTable.tsx';
import { RowTool } from '../../lists/RowTool.tsx';
import { createList } from '../../lists/source.ts';
import { explain } from '../../session.ts';
import { useSettings } from '../../settings.tsx';
import { announced, revokeInvitation } from '../actions.ts';
import type { Invitation, NewInvitation } from '../wire.ts';

/** What is behind the `#` never reaches a server or its log. */
export const invitationLink = (base: string, token: string) => `${base}/#moderator=${token}`;

export function Invitations(): JSX.Element {
  const open = createList<Invitation>('/api/admin/chat/invitations');
  const [fresh, setFresh] = createSignal<NewInvitation>();
  const [busy, setBusy] = createSignal(false);
  const settings = useSettings();
  const address = () => publicAddress(settings);

  const invite = async () => {
    setBusy(true);
    try {
      setFresh(await api.post<NewInvitation>('/api/admin/chat/invitations/create', {}));
      await open.refresh();
    } catch (problem) {
      toast(explain(problem));
    } finally {
      setBusy(false);
    }
  };
  const revoke = async ({ id }: Invitation) => {
    await announced(revokeInvitation(id), ta('invitations.revoked'));
    if (fresh()?.id === id) setFresh(undefined);
    await open.refresh();
  };

  return (
    <>
      <Show when={fresh()} keyed>
        {(invitation) => (
          <SecretCard
            title={ta('invitations.made')}
            label={ta('invitations.link')}
            secret={invitationLink(address().base, invitation.token)}
            onDone={() => setFresh(undefined)}
          >
            <p class="muted small">{ta('invitations.until', { when: dateTime(invitation.expiresAt) })}</p>
          </SecretCard>
        )}
      </Show>
      <section class="card" aria-label={ta('invitations.title')}>
        <h2>{ta('invitations.title')}</h2>
        <p class="muted small">{ta('invitations.text')}</p>
        <Show when={address().isGuessed}>
          <Banner tone="warning">{ta('invitations.noAddress')}</Banner>
        </Show>
        <div class="row">
          <button type="button" class="button" disabled={busy() || address().isGuessed} onClick={() => void invite()}>
            <Icon name="shield" />
            {ta('invitations.invite')}
          </button>
        </div>
        <Show when={open.entries()?.length}>
          <DataTable
            rows={open.entries() ?? []}
            columns={[
              { label: ta('invitations.since'), cell: ({ createdAt }) => <Time at={createdAt} /> },
              { label: ta('invitations.expires'), wide: true, cell: ({ expiresAt }) => dateTime(expiresAt) },
            ]}
            actions={(invitation) => (
              <RowTool
                icon="trash"
                label={ta('invitations.revoke')}
                name={ta('invitations.revoke.name', { when: dateTime(invitation.createdAt) })}
                onPress={() => void revoke(invitation)}
              />
            )}
          />
        </Show>
      </section>
    </>
  );
}
