/** A secret that is shown this once. A card of the page, not a dialog: Escape must not be able to lose it. */
import { type JSX, onMount } from 'solid-js';
import { CopyField } from '../../design/CopyField.tsx';
import { Banner } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';

export interface SecretCardProps {
  title: string;
  /** What it is, for the name of the copy button. */
  label: string;
  secret: string;
  /** Where it goes or how it is used. */
  children?: JSX.Element;
  onDone: () => void;
}

export function SecretCard(props: SecretCardProps): JSX.Element {
  let card: HTMLElement | undefined;
  // The dialog that made it gives the focus back to its button first.
  onMount(() => setTimeout(() => card?.focus()));
  return (
    <section
      class="card secret-card"
      tabindex="-1"
      aria-label={props.title}
      ref={(element) => {
        card = element;
      }}
    >
      <h2>{props.title}</h2>
      <Banner tone="warning">
        <strong>{ta('secret.once')}</strong>
        <p>{ta('secret.once.text')}</p>
      </Banner>
      <div class="field">
        <span class="field-label">{props.label}</span>
        <CopyField label={props.label} value={props.secret} />
      </div>
      {props.children}
      <div class="row">
        <button type="button" class="button" data-look="primary" onClick={() => props.onDone()}>
          {ta('secret.done')}
        </button>
      </div>
    </section>
  );
}
