/** The qualities viewers can choose from: which there are, and in which order. */
import { createEffect, createSignal, For, type JSX, on, Show, untrack } from 'solid-js';
import { Banner } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { SaveMark } from '../../design/setting/SettingField.tsx';
import { createSaver } from '../../design/setting/saver.ts';
import { ta } from '../../i18n/admin.ts';
import { Confirm, type Question } from '../chat/Confirm.tsx';
import { moved, ReorderList } from '../lists/ReorderList.tsx';
import { useSettings } from '../settings.tsx';
import { describe, isSame, MAX_VARIANTS, nameOf, PRESETS, remarksOn, SOURCE } from './draft.ts';
import { QualityForm } from './QualityForm.tsx';
import type { Variant } from './wire.ts';

export const VARIANTS = 'video/streamoutputvariants';

export function Qualities(props: { onChange: (list: Variant[]) => void }): JSX.Element {
  const settings = useSettings();
  const stored = () => (settings.find(VARIANTS)?.value as Variant[] | undefined) ?? [];
  const [list, setList] = createSignal<Variant[]>([]);
  const [form, setForm] = createSignal<{ index?: number; variant: Variant }>();
  const [question, setQuestion] = createSignal<Question>();
  const [removed, setRemoved] = createSignal<number>();
  const [underWay, setUnderWay] = createSignal(0);
  let section: HTMLElement | undefined;
  const saver = createSaver((value) => settings.save(VARIANTS, value));
  const lockedBy = () => {
    const setting = settings.find(VARIANTS);
    return setting?.locked ? setting.sourceName : undefined;
  };
  const isFull = () => list().length >= MAX_VARIANTS;
  const cannotAdd = () => lockedBy() !== undefined || isFull();

  // What is shown is what is stored, unless more is on its way. Rows stay as they are while the server only says again
  // what was sent: the focus is in one of them.
  createEffect(() => {
    const now = stored().map((variant) => ({ ...variant }));
    if (underWay() === 0 && !isSame(now, untrack(list))) setList(now);
  });
  createEffect(on(list, (now) => props.onChange(now)));

  let last: Promise<unknown> = Promise.resolve();
  /** True when the server took it. One is sent after another: each is the whole list, and the last must win. */
  const commit = (next: Variant[]): Promise<boolean> => {
    const send = async () => {
      // The store of settings keeps what it is given and writes into it with the next answer.
      await saver.save(next.map((variant) => ({ ...variant })));
      const isTaken = saver.state() !== 'error';
      setUnderWay((count) => count - 1);
      return isTaken;
    };
    setUnderWay((count) => count + 1);
    setList(next);
    const mine = last.then(send);
    last = mine;
    return mine;
  };
  /** A row that was changed is a new one, and one that was removed is gone: the focus would be nowhere. */
  const focusOn = (index: number, tool: 'pencil' | 'trash') => {
    const rows = [...(section?.querySelectorAll('.quality-row') ?? [])];
    const row = rows[index] ?? rows.at(-1);
    row?.querySelector<HTMLButtonElement>(`[data-tool="${tool}"]`)?.focus();
  };
  const saveForm = async (variant: Variant) => {
    const index = form()?.index ?? list().length;
    if (!(await commit(list().toSpliced(index, 1, variant)))) throw new Error(saver.error());
    setForm(undefined);
    focusOn(index, 'pencil');
  };
  /** Its button goes away with it. */
  const addSource = () => {
    void commit([SOURCE, ...list()]);
    focusOn(0, 'pencil');
  };
  const askRemove = (index: number) =>
    setQuestion({
      title: ta('quality.remove.title', { name: nameOf(list()[index] ?? SOURCE) }),
      text: ta(list().length === 1 ? 'quality.remove.last' : 'quality.remove.text'),
      action: ta('editor.remove'),
      run: async () => {
        if (!(await commit(list().toSpliced(index, 1)))) throw new Error(saver.error());
        setRemoved(index);
      },
    });
  const closeQuestion = () => {
    setQuestion(undefined);
    const index = removed();
    setRemoved(undefined);
    if (index !== undefined) focusOn(index, 'trash');
  };

  return (
    <section
      class="card"
      data-setting={VARIANTS}
      data-state={saver.state()}
      ref={(element) => {
        section = element;
      }}
    >
      <header>
        <div class="card-head">
          <h2>{ta('setting.video/streamoutputvariants.label')}</h2>
          <SaveMark state={saver.state()} />
        </div>
        <p class="muted small">
          {ta('setting.video/streamoutputvariants.help')} {ta('setting.nextStream')}
        </p>
      </header>
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
      <ReorderList
        class="quality-list"
        rowClass="quality-row"
        items={list()}
        nameOf={nameOf}
        disabled={lockedBy() !== undefined}
        onMove={(from, to) => void commit(moved(list(), from, to))}
        onEdit={(index) => setForm({ index, variant: list()[index] ?? SOURCE })}
        onRemove={askRemove}
      >
        {(variant) => (
          <div class="reorder-text">
            <strong>{nameOf(variant)}</strong>
            <span class="muted small">{describe(variant)}</span>
          </div>
        )}
      </ReorderList>
      <For each={remarksOn(list())}>{(remark) => <p class="muted small">{remark}</p>}</For>
      <fieldset class="quality-add">
        <legend class="small muted">{ta('quality.addOne')}</legend>
        <Show when={!list().some((variant) => variant.videoPassthrough)}>
          <AddButton label={ta('quality.preset.source')} disabled={cannotAdd()} onPress={addSource} />
        </Show>
        <For each={PRESETS}>
          {(preset) => (
            <AddButton
              label={preset.name}
              disabled={cannotAdd()}
              onPress={() => void commit([...list(), { ...preset }])}
            />
          )}
        </For>
        <AddButton
          label={ta('quality.preset.own')}
          disabled={cannotAdd()}
          onPress={() => setForm({ variant: { ...(PRESETS[1] ?? SOURCE), name: '' } })}
        />
      </fieldset>
      <Show when={isFull()}>
        <p class="muted small">{ta('quality.full', { count: MAX_VARIANTS })}</p>
      </Show>
      <Show when={form()} keyed>
        {(open) => (
          <QualityForm
            variant={open.variant}
            isNew={open.index === undefined}
            save={saveForm}
            onClose={() => setForm(undefined)}
          />
        )}
      </Show>
      <Confirm question={question()} onClose={closeQuestion} />
    </section>
  );
}

function AddButton(props: { label: string; disabled: boolean; onPress: () => void }): JSX.Element {
  return (
    <button type="button" class="button" data-size="small" disabled={props.disabled} onClick={() => props.onPress()}>
      <Icon name="plus" />
      {props.label}
    </button>
  );
}
