/** The operator's own buttons below the player: what they are, and in which order. */
import '../integrations.css';
import { createSignal, For, type JSX, Match, onMount, Show, Switch } from 'solid-js';
import { api } from '../../../api.ts';
import { Banner, EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { Icon } from '../../../design/Icon.tsx';
import { SaveMark } from '../../../design/setting/SettingField.tsx';
import { createSaver } from '../../../design/setting/saver.ts';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { ActionButton, kindOf } from '../../../viewer/Actions.tsx';
import type { ExternalAction, ServerConfig } from '../../../wire.ts';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { AdminIcon } from '../../icons.tsx';
import { explain } from '../../session.ts';
import { useSettings } from '../../settings.tsx';
import { saveActions } from '../requests.ts';
import { ActionForm } from './ActionForm.tsx';
import { moved } from './draft.ts';

export function ExternalActions(): JSX.Element {
  const settings = useSettings();
  const [actions, setActions] = createSignal<ExternalAction[]>();
  const [failure, setFailure] = createSignal('');
  const [form, setForm] = createSignal<{ index?: number }>();
  const [question, setQuestion] = createSignal<Question>();
  const saver = createSaver((value) => saveActions(value as ExternalAction[]));
  const lockedBy = () => {
    const setting = settings.find('externalactions');
    return setting?.locked ? setting.sourceName : undefined;
  };

  const load = async () => {
    setFailure('');
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
        <Switch fallback={<Skeleton />}>
          <Match when={actions()?.length}>
            <ActionList
              actions={actions() ?? []}
              disabled={lockedBy() !== undefined}
              onMove={(from, to) => void commit(moved(actions() ?? [], from, to))}
              onEdit={(index) => setForm({ index })}
              onRemove={askRemove}
            />
          </Match>
          <Match when={actions()}>
            <EmptyState icon="external" title={ta('actions.empty.title')}>
              <p>{ta('actions.empty.text')}</p>
            </EmptyState>
          </Match>
          <Match when={failure()}>
            <LoadError title={ta('error.load')} text={failure()} onRetry={() => void load()} />
          </Match>
        </Switch>
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

interface ActionListProps {
  actions: ExternalAction[];
  disabled: boolean;
  onMove: (from: number, to: number) => void;
  onEdit: (index: number) => void;
  onRemove: (index: number) => void;
}

function ActionList(props: ActionListProps): JSX.Element {
  const [said, setSaid] = createSignal('');
  let list: HTMLUListElement | undefined;

  const move = (from: number, to: number) => {
    const title = props.actions[from]?.title ?? '';
    props.onMove(from, to);
    setSaid(ta('actions.moved', { title, place: to + 1, count: props.actions.length }));
    // Moving takes the focus off the button; at the end of the list the other one of the row is left.
    const wanted = to < from ? 'up' : 'down';
    const buttons = [...(list?.children[to]?.querySelectorAll<HTMLButtonElement>('[data-move]') ?? [])];
    const same = buttons.find((button) => button.dataset.move === wanted && !button.disabled);
    (same ?? buttons.find((button) => !button.disabled))?.focus();
  };

  return (
    <>
      <ul
        class="action-list"
        ref={(element) => {
          list = element;
        }}
      >
        <For each={props.actions}>
          {(action, index) => (
            <li class="action-row">
              <div class="action-preview" inert>
                <ActionButton action={action} onPress={() => {}} />
              </div>
              <div class="action-row-text">
                <strong>{action.title}</strong>
                <span class="muted small">{ta(`actions.kind.${kindOf(action) ?? 'none'}` as AdminKey)}</span>
                <span class="small">{action.html ? '' : action.url}</span>
              </div>
              <div class="action-row-tools">
                <Tool
                  icon="up"
                  label={ta('actions.up')}
                  of={action.title}
                  move="up"
                  disabled={props.disabled || index() === 0}
                  onPress={() => move(index(), index() - 1)}
                />
                <Tool
                  icon="down"
                  label={ta('actions.down')}
                  of={action.title}
                  move="down"
                  disabled={props.disabled || index() === props.actions.length - 1}
                  onPress={() => move(index(), index() + 1)}
                />
                <Tool
                  icon="pencil"
                  label={ta('actions.edit')}
                  of={action.title}
                  disabled={props.disabled}
                  onPress={() => props.onEdit(index())}
                />
                <Tool
                  icon="trash"
                  label={ta('editor.remove')}
                  of={action.title}
                  disabled={props.disabled}
                  onPress={() => props.onRemove(index())}
                />
              </div>
            </li>
          )}
        </For>
      </ul>
      <span class="visually-hidden" role="status">
        {said()}
      </span>
    </>
  );
}

function Tool(props: {
  icon: 'up' | 'down' | 'pencil' | 'trash';
  label: string;
  /** Of which action, for those who do not see what is beside it. */
  of: string;
  move?: 'up' | 'down';
  disabled: boolean;
  onPress: () => void;
}): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      data-move={props.move}
      aria-label={`${props.label}: ${props.of}`}
      title={props.label}
      disabled={props.disabled}
      onClick={() => props.onPress()}
    >
      <AdminIcon name={props.icon} />
    </button>
  );
}
