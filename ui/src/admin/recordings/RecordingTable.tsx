/** The recordings one below the other, each with what is wrong with it and what can be done. */
import { For, type JSX, Show } from 'solid-js';
import { toast } from '../../design/toasts.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { fileSize } from '../../i18n/format.admin.ts';
import { clock, dateTime } from '../../i18n/format.ts';
import { hasText } from '../../i18n/index.ts';
import { announced } from '../chat/actions.ts';
import type { Question } from '../chat/Confirm.tsx';
import { AdminIcon } from '../icons.tsx';
import { DataTable } from '../lists/DataTable.tsx';
import { RowTool } from '../lists/RowTool.tsx';
import { changeRecording, deleteRecording } from './requests.ts';
import type { Recording, RecordingChange, RecordingError } from './wire.ts';

export interface RecordingTableProps {
  recordings: Recording[];
  onEdit: (recording: Recording) => void;
  onChapters: (recording: Recording) => void;
  onAsk: (question: Question) => void;
  onChanged: () => Promise<void>;
}

export const titleOf = (recording: Recording): string => recording.title || ta('streams.untitled');

/** What a newer server finds out says it itself, in English. */
function textOf({ code, message }: RecordingError): string {
  const key = `recordings.error.${code}`;
  return hasText(key) ? ta(key as AdminKey) : message;
}

export function RecordingTable(props: RecordingTableProps): JSX.Element {
  const change = async (recording: Recording, wanted: RecordingChange, done: AdminKey) => {
    const changed = changeRecording(recording.id, wanted).then(() => undefined);
    if (await announced(changed)) toast(ta(done, { title: titleOf(recording) }));
    await props.onChanged();
  };
  const askDelete = (recording: Recording) => {
    const { id } = recording;
    props.onAsk({
      title: ta('recordings.delete.title', { title: titleOf(recording) }),
      text: ta('recordings.delete.text'),
      action: ta('recordings.delete'),
      run: async () => {
        await deleteRecording(id);
        toast(ta('recordings.deleted'));
        await props.onChanged();
      },
    });
  };
  return (
    <DataTable
      label={ta('nav.recordings')}
      multiline
      rows={props.recordings}
      data={({ id, state }) => ({ 'data-id': id, 'data-state': state })}
      columns={[
        {
          label: ta('recordings.title'),
          heading: true,
          wide: true,
          cell: (one) => <Heading recording={one} />,
        },
        {
          label: ta('streams.started'),
          cell: (one) => <time datetime={one.startedAt}>{dateTime(one.startedAt)}</time>,
        },
        { label: ta('recordings.length'), cell: (one) => clock(one.duration) },
        { label: ta('recordings.size'), cell: (one) => fileSize(one.bytes) },
        {
          label: ta('recordings.visibility'),
          cell: (one) => ta(`recordings.visibility.${one.visibility}`),
        },
      ]}
      actions={(one) => (
        <div class="recording-tools">
          <RowTool icon="pencil" label={ta('recordings.edit')} of={titleOf(one)} onPress={() => props.onEdit(one)} />
          <RowTool
            icon="list"
            label={ta('recordings.chapters')}
            of={titleOf(one)}
            onPress={() => props.onChapters(one)}
          />
          <Show
            when={one.visibility === 'public'}
            fallback={
              <RowTool
                icon="eye"
                label={ta('recordings.publish')}
                of={titleOf(one)}
                onPress={() => void change(one, { visibility: 'public' }, 'recordings.published')}
              />
            }
          >
            <RowTool
              icon="eye-off"
              label={ta('recordings.unlist')}
              of={titleOf(one)}
              onPress={() => void change(one, { visibility: 'unlisted' }, 'recordings.unlisted')}
            />
          </Show>
          <RowTool
            icon={one.isKept ? 'pin-off' : 'pin'}
            label={ta(one.isKept ? 'recordings.unkeep' : 'recordings.keep')}
            of={titleOf(one)}
            onPress={() =>
              void change(one, { isKept: !one.isKept }, one.isKept ? 'recordings.unkept' : 'recordings.nowKept')
            }
          />
          <RowTool
            icon="trash"
            label={ta('recordings.delete')}
            of={titleOf(one)}
            // Its files are being written.
            disabled={one.state === 'recording'}
            onPress={() => askDelete(one)}
          />
        </div>
      )}
    />
  );
}

function Heading(props: { recording: Recording }): JSX.Element {
  const isTrimmed = () => props.recording.trimStart !== null || props.recording.trimEnd !== null;
  return (
    <div class="recording-heading">
      <Show when={props.recording.thumbnail}>
        {(address) => <img class="recording-picture" src={address()} alt="" loading="lazy" />}
      </Show>
      <div class="recording-about">
        <strong>
          <a href={`/videos/${props.recording.id}`}>{titleOf(props.recording)}</a>
        </strong>
        <span class="recording-badges">
          <Show when={props.recording.state === 'recording'}>
            <span class="badge" data-tone="live">
              {ta('recordings.running')}
            </span>
          </Show>
          <Show when={props.recording.isKept}>
            <span class="badge">{ta('recordings.kept')}</span>
          </Show>
          <Show when={isTrimmed()}>
            <span class="badge">{ta('recordings.trimmed')}</span>
          </Show>
          <Show when={props.recording.keepsChat}>
            <span class="badge">{ta('recordings.withChat')}</span>
          </Show>
        </span>
        <For each={props.recording.errors}>
          {(error) => (
            <span class="recording-error">
              <AdminIcon name="alert" />
              {textOf(error)}
            </span>
          )}
        </For>
      </div>
    </div>
  );
}
