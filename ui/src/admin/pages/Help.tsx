/** Where to look further. */
import { type JSX, Show } from 'solid-js';
import { CopyField } from '../../design/CopyField.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { searchKeys } from '../search/Palette.tsx';

const COMMANDS: [AdminKey, string][] = [
  ['help.console.password', 'rillcast admin reset-password'],
  ['help.console.session', 'rillcast admin session'],
  ['help.console.backup', 'rillcast backup'],
  ['help.console.all', 'rillcast --help'],
];

export function Help(): JSX.Element {
  return (
    <div class="home">
      <Card title="help.find" text={ta('help.find.text', { keys: searchKeys() })} />
      <Card title="help.live" text={ta('help.live.text')}>
        <Link class="button" href="/admin/">
          {ta('help.live.open')}
        </Link>
      </Card>
      <Card title="help.api" text={ta('help.api.text')}>
        <a class="button" href="/api/docs">
          {ta('help.api.open')}
        </a>
      </Card>
      <section class="card">
        <h2>{ta('help.console')}</h2>
        {COMMANDS.map(([label, command]) => (
          <div class="field">
            <span class="field-label">{ta(label)}</span>
            <CopyField label={ta(label)} value={command} />
          </div>
        ))}
      </section>
    </div>
  );
}

function Card(props: { title: AdminKey; text: string; children?: JSX.Element }): JSX.Element {
  return (
    <section class="card">
      <header>
        <h2>{ta(props.title)}</h2>
        <p class="muted small">{props.text}</p>
      </header>
      <Show when={props.children}>
        <div class="row">{props.children}</div>
      </Show>
    </section>
  );
}
