/** What to type into the broadcasting program, and then its first picture. */
import { createEffect, createResource, createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import { CopyField } from '../../design/CopyField.tsx';
import { Banner, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { bitrate, decimal } from '../../i18n/format.ts';
import { said } from '../../i18n/said.ts';
import type { AdminStream, ServerConfig } from '../../wire.ts';
import { explain } from '../session.ts';
import { useSettings } from '../settings.tsx';
import { useStream } from '../stream.ts';
import { WrongKey } from '../WrongKey.tsx';
import { publicAddress } from './checks.ts';
import { ObsSteps } from './ObsSteps.tsx';

/** The port every broadcasting program assumes. */
const DEFAULT_RTMP_PORT = 1935;

/** Where the program sends to: the host viewers know, or the one this page was opened with. */
export function ingestAddress(serverUrl: string, place: Pick<Location, 'origin'>, port: number): string {
  const { hostname } = publicAddress(serverUrl, place);
  return `rtmp://${hostname}${port === DEFAULT_RTMP_PORT ? '' : `:${port}`}/live`;
}

export function StreamStep(props: { onBack: () => void; onDone: () => void }): JSX.Element {
  const settings = useSettings();
  const [config, { refetch }] = createResource(() => api.get<ServerConfig>('/api/admin/serverconfig'));
  const stream = useStream();
  const server = (port: number) => ingestAddress(String(settings.find('serverurl')?.value ?? ''), location, port);
  return (
    <>
      <Switch fallback={<Skeleton lines={6} />}>
        <Match when={config.error}>
          <LoadError title={ta('error.load')} text={explain(config.error)} onRetry={() => void refetch()} />
        </Match>
        <Match when={config()}>
          {(loaded) => (
            <>
              <div class="setup-credentials">
                <div class="field">
                  <span class="field-label">{ta('home.server')}</span>
                  <CopyField label={ta('home.server')} value={server(loaded().rtmpServerPort)} />
                </div>
                <div class="field">
                  <span class="field-label">{ta('home.key')}</span>
                  <Show when={loaded().streamKeys[0]} fallback={<Banner tone="warning">{ta('home.key.none')}</Banner>}>
                    {(key) => (
                      <CopyField
                        label={ta('home.key')}
                        value={key().key}
                        secret={{ show: ta('editor.keys.show'), hide: ta('editor.keys.hide') }}
                      />
                    )}
                  </Show>
                </div>
              </div>
              <ObsSteps server={server(loaded().rtmpServerPort)} />
            </>
          )}
        </Match>
      </Switch>
      <Arrival stream={stream()} />
      <div class="row setup-actions">
        <button type="button" class="button" data-look="quiet" onClick={() => props.onBack()}>
          {ta('setup.back')}
        </button>
        <button type="button" class="button" data-look="primary" onClick={() => props.onDone()}>
          {ta(stream()?.state === 'live' ? 'setup.finish' : 'setup.later')}
        </button>
      </div>
    </>
  );
}

/** From "waiting" to the picture, at one place of the page. */
function Arrival(props: { stream: AdminStream | undefined }): JSX.Element {
  const isLive = () => props.stream?.state === 'live';
  // Once there, the player stays: it knows itself what to say when the stream ends.
  const [wasLive, setWasLive] = createSignal(false);
  createEffect(() => {
    if (isLive()) setWasLive(true);
  });
  return (
    <section class="setup-arrival" aria-labelledby="setup-arrival" data-state={props.stream?.state ?? 'offline'}>
      <div role="status">
        <h2 id="setup-arrival">
          <Show when={isLive()} fallback={<i class="setup-spinner" aria-hidden="true" />}>
            <Icon name="check" />
          </Show>
          {ta(isLive() ? 'setup.arrived' : 'setup.waiting')}
        </h2>
      </div>
      <Show when={!isLive()}>
        <WrongKey at={props.stream?.wrongKeyAt} />
      </Show>
      <Show when={isLive() ? props.stream : undefined}>
        {(stream) => (
          <dl class="facts">
            <For each={arrivalFacts(stream())}>
              {(fact) => (
                <div>
                  <dt>{fact.label}</dt>
                  <dd>{fact.value}</dd>
                </div>
              )}
            </For>
          </dl>
        )}
      </Show>
      <div class="setup-picture">
        <Show when={wasLive()} fallback={<p class="muted">{ta('setup.waiting.text')}</p>}>
          <iframe
            src="/embed/video?initiallyMuted=true&preview=true"
            title={ta('setup.picture')}
            allow="autoplay; fullscreen; picture-in-picture"
          />
        </Show>
      </div>
      <For each={isLive() ? props.stream?.diagnosis : []}>
        {(finding) => (
          <Banner tone={finding.level}>
            <p>{said(finding, finding.message)}</p>
          </Banner>
        )}
      </For>
    </section>
  );
}

/** What tells whether the program is set right, at a glance. */
export function arrivalFacts(stream: AdminStream): { label: string; value: string }[] {
  const { inbound, video } = stream;
  const facts = [{ label: ta('setup.bitrate'), value: bitrate(inbound.samples.at(-1)?.kbps ?? 0) }];
  if (inbound.keyframeSeconds !== null) {
    const seconds = decimal(inbound.keyframeSeconds);
    facts.push({ label: ta('live.keyframes'), value: ta('live.keyframes.every', { seconds }) });
  }
  if (video) facts.push({ label: ta('live.video'), value: `${video.width} × ${video.height}` });
  return facts;
}
