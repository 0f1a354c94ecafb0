/** Whether viewers can reach this server, and its page on a phone. */
import { createEffect, createSignal, For, type JSX, on, Show } from 'solid-js';
import { api } from '../../api.ts';
import { CopyBlock } from '../../design/CopyField.tsx';
import { Icon } from '../../design/Icon.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import type { SiteConfig } from '../../wire.ts';
import { SettingByKey, useSettings } from '../settings.tsx';
import {
  browserProbes,
  type CheckName,
  checkAddress,
  checkEncryption,
  checkSocket,
  type Finding,
  isLocalHost,
  isThisMachine,
  publicAddress,
} from './checks.ts';
import { QrCode } from './QrCode.tsx';

const NAMES: CheckName[] = ['address', 'encryption', 'socket'];

/** What the two most common proxies need for the chat; Caddy needs nothing. */
const PROXY_LINES = `proxy_http_version 1.1;
proxy_set_header Host $host;
proxy_set_header Upgrade $http_upgrade;
proxy_set_header Connection "upgrade";`;

export function AddressStep(props: { onNext: () => void }): JSX.Element {
  const settings = useSettings();
  const serverUrl = () => String(settings.find('serverurl')?.value ?? '');
  const [findings, setFindings] = createSignal<Partial<Record<CheckName, Finding>>>({});
  let round = 0;

  const check = async () => {
    round += 1;
    const mine = round;
    setFindings({});
    const url = serverUrl();
    const report = (name: CheckName) => (finding: Finding) => {
      // The address may have been changed meanwhile.
      if (mine === round) setFindings((before) => ({ ...before, [name]: finding }));
    };
    const isChatOff = await api.get<SiteConfig>('/api/config').then(
      (config) => config.chatDisabled === true,
      () => false,
    );
    await Promise.all([
      checkAddress(url, location, browserProbes).then((finding) => {
        report('address')(finding);
        report('encryption')(checkEncryption(url, location, finding.verdict));
      }),
      checkSocket(url, location, isChatOff, browserProbes).then(report('socket')),
    ]);
  };
  createEffect(on(serverUrl, () => void check()));

  const isChecking = () => NAMES.some((name) => !findings()[name]);
  const viewerPage = () => `${publicAddress(serverUrl(), location).origin}/`;
  const isForThisMachineOnly = () => isThisMachine(publicAddress(serverUrl(), location).hostname);
  const isForThisNetworkOnly = () => isLocalHost(publicAddress(serverUrl(), location).hostname);

  return (
    <>
      <SettingByKey key="serverurl" />
      <section class="stack" aria-labelledby="setup-checks">
        <div class="card-head">
          <h2 id="setup-checks">{ta('check.title')}</h2>
          <button type="button" class="button" data-size="small" disabled={isChecking()} onClick={() => void check()}>
            <Icon name="refresh" />
            {ta('check.again')}
          </button>
        </div>
        <ul class="setup-checks" aria-live="polite" aria-busy={isChecking()}>
          <For each={NAMES}>{(name) => <CheckRow name={name} finding={findings()[name]} />}</For>
        </ul>
      </section>
      <section class="setup-phone" aria-labelledby="setup-phone">
        <div class="stack-tight">
          <h2 id="setup-phone">{ta('setup.phone.title')}</h2>
          <p class="muted">{ta(isForThisMachineOnly() ? 'setup.phone.machine' : 'setup.phone.text')}</p>
          <p>
            <a href={viewerPage()} target="_blank" rel="noopener">
              {viewerPage()}
            </a>
          </p>
          <Show when={isForThisNetworkOnly() && !isForThisMachineOnly()}>
            <p class="muted small">{ta('setup.phone.local')}</p>
          </Show>
        </div>
        <Show when={!isForThisMachineOnly()}>
          <QrCode text={viewerPage()} label={ta('setup.phone.code', { url: viewerPage() })} />
        </Show>
      </section>
      <div class="row setup-actions">
        <button type="button" class="button" data-look="primary" onClick={() => props.onNext()}>
          {ta('setup.next')}
        </button>
      </div>
    </>
  );
}

function CheckRow(props: { name: CheckName; finding: Finding | undefined }): JSX.Element {
  const verdict = () => props.finding?.verdict ?? 'checking';
  return (
    <li class="setup-check" data-check={props.name} data-verdict={verdict()}>
      <span class="setup-check-mark" aria-hidden="true">
        <Show when={props.finding} fallback={<i class="setup-spinner" />}>
          <Icon name={verdict() === 'good' ? 'check' : 'alert'} />
        </Show>
      </span>
      <div class="stack-tight">
        <h3>
          {ta(`check.${props.name}.title` as AdminKey)}
          <span class="visually-hidden">: {ta(`check.verdict.${verdict()}` as AdminKey)}</span>
        </h3>
        <Show when={props.finding} fallback={<p class="muted small">{ta('check.running')}</p>}>
          {(finding) => (
            <>
              <p>{ta(finding().text, finding().params)}</p>
              <Show when={finding().advice}>
                {(advice) => <p class="muted small">{ta(advice(), finding().params)}</p>}
              </Show>
              <Show when={props.name === 'socket' && finding().verdict === 'bad'}>
                <CopyBlock label={ta('check.socket.lines')} value={PROXY_LINES} />
              </Show>
            </>
          )}
        </Show>
      </div>
    </li>
  );
}
