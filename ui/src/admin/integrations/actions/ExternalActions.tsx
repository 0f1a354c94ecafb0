/** The operator's own buttons below the player: what they are, and in which order. */
import '../integrations.css';
import { createSignal, type JSX, onMount, Show } from 'solid-js';
import { api } from '../../../api.ts';
import { Banner } from '../../../design/Feedback.tsx';
import { Icon } from '../../../design/Icon.tsx';
import { SaveMark } from '../../../design/setting/SettingField.tsx';
import { createSaver } from '../../../design/setting/saver.ts';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { ActionButton, kindOf } from '../../../viewer/Actions.tsx';
import type { ExternalAction, ServerConfig } from '../../../wire.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { ListView } from '../../lists/ListView.tsx';
import { moved, ReorderList } from '../../lists/ReorderList.tsx';
import { explain } from '../../session.ts';
import { useSettings } from '../../settings.tsx';
import { saveActions } from '../requests.ts';
import { ActionForm } from './ActionForm.tsx';

export function ExternalActions(): JSX.Element {
  const settings = useSettings();
  const [actions, setActions] = createSignal<ExternalAction[]>();
  const [failure, setFailure] = createSignal<string>();
  const [form, setForm] = createSignal<{ index?: number }>();
  const [question, setQuestion] = createSignal<Question>();
  const saver = createSaver((value) => saveActions(value as ExternalAction[]));
  const lockedBy = () => {
    const setting = settings.find('externalactions');
    return setting?.locked ? setting.sourceName : undefined;
  };

  const load = async () => {
    setFailure(undefined);
    try {
      setActions((await api.get<ServerConfig>('/api/admin/serverconfig')).externalActions ?? []);
    } catch (problem) {
      setFailure(explain(problem));
    }
  };
  onMount(() => void load());

  /** True when the server took it; otherwise what was there before is there again. */
  const commit = async (next: ExternalAction[]): Promise<boolean> => {
    const before = actions();
    setActions(next);
    await saver.save(next);
    if (saver.state() !== 'error') return true;
    setActions(before);
    return false;
  };
  const saveForm = async (action: ExternalAction) => {
    const list = actions() ?? [];
    const index = form()?.index ?? list.length;
    if (!(await commit(list.toSpliced(index, 1, action)))) throw new Error(saver.error());
    setForm(undefined);
  };
  const askRemove = (index: number) =>
    setQuestion({
      title: ta('actions.remove.title', { title: actions()?.[index]?.title ?? '' }),
      text: ta('actions.remove.text'),
      action: ta('editor.remove'),
      run: async () => {
        if (!(await commit((actions() ?? []).toSpliced(index, 1)))) throw new Error(saver.error());
      },
    });

  return (
    <>
      <section class="card" data-state={saver.state()}>
        <div class="card-head">
          <p class="muted small card-lead">{ta('actions.text')}</p>
          <div class="row">
            <button
              type="button"
              class="button"
              data-look="primary"
              disabled={!actions() || lockedBy() !== undefined}
              onClick={() => setForm({})}
            >
              <Icon name="plus" />
              {ta('actions.add')}
            </button>
            <SaveMark state={saver.state()} />
          </div>
        </div>
        <Show when={lockedBy()}>
          {(source) => (
            <p>
              <span class="setting-lock">
                <Icon name="lock" />
                {ta('setting.locked', { source: source() })}
              </span>
            </p>
          )}
        </Show>
        {/* A dialog that is open says it itself. */}
        <Show when={saver.state() === 'error' && !form() && !question()}>
          <Banner tone="error">{saver.error()}</Banner>
        </Show>
        <ListView
          list={{ entries: actions, failure, refresh: load }}
          empty={{ icon: 'external', title: ta('actions.empty.title'), text: ta('actions.empty.text') }}
        >
          <ReorderList
            rowClass="action-row"
            items={actions() ?? []}
            nameOf={({ title }) => title}
            disabled={lockedBy() !== undefined}
            onMove={(from, to) => void commit(moved(actions() ?? [], from, to))}
            onEdit={(index) => setForm({ index })}
            onRemove={askRemove}
          >
            {(action) => (
              <>
                <div class="action-preview" inert>
                  <ActionButton action={action} onPress={() => {}} />
                </div>
                <div class="reorder-text">
                  <strong>{action.title}</strong>
                  <span class="muted small">{ta(`actions.kind.${kindOf(action) ?? 'none'}` as AdminKey)}</span>
                  <span class="small">{action.html ? '' : action.url}</span>
                </div>
              </>
            )}
          </ReorderList>
        </ListView>
      </section>
      <Show when={form()} keyed>
        {(open) => (
          <ActionForm
            action={open.index === undefined ? undefined : actions()?.[open.index]}
            save={saveForm}
            onClose={() => setForm(undefined)}
          />
        )}
      </Show>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </>
  );
}
