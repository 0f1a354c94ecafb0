/** What the operator wrote about the stream, below what plugins put before it. */
import { createMemo, For, type JSX, Show } from 'solid-js';
import { t } from '../i18n/index.ts';
import type { SiteConfig } from '../wire.ts';
import { LazyPluginFrame } from './plugins/LazyPluginFrame.tsx';

export function About(props: { config: SiteConfig }): JSX.Element {
  const ofPlugins = () => props.config.pluginContent ?? [];
  // By name: a frame must not begin anew because another plugin comes or goes.
  const slugs = createMemo(() => ofPlugins().map((part) => part.plugin));
  const own = createMemo(() => ownText(props.config));
  return (
    <div id="custom-page-content" class="prose">
      <For each={slugs()}>
        {(slug) => (
          <Show when={ofPlugins().find((part) => part.plugin === slug)}>
            {(part) => <LazyPluginFrame plugin={slug} title={part().title} html={part().html} styles={part().styles} />}
          </Show>
        )}
      </For>
      <Show when={own()}>{(html) => <div dir="auto" innerHTML={html()} />}</Show>
      <Show when={!own() && ofPlugins().length === 0}>
        <p class="muted">{t('viewer.about.empty')}</p>
      </Show>
    </div>
  );
}

/**
 * The operator's text, which the server has cleaned. What plugins put before it has not been, so nothing is shown of a
 * text that does not begin as it says.
 */
function ownText(config: SiteConfig): string {
  const before = (config.pluginContent ?? []).map((part) => part.html).join('');
  return config.extraPageContent.startsWith(before) ? config.extraPageContent.slice(before.length) : '';
}
