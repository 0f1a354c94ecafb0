/** How far the setup is. */
import './setup.css';
import { For, type JSX } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { STEPS, type Step } from './steps.ts';

export function StepList(props: { now: Step }): JSX.Element {
  const isDone = (step: Step) => STEPS.indexOf(step) < STEPS.indexOf(props.now);
  return (
    <ol class="setup-steps" aria-label={ta('setup.steps')}>
      <For each={STEPS}>
        {(step, index) => (
          <li aria-current={step === props.now ? 'step' : undefined} data-done={isDone(step) ? 'true' : undefined}>
            <span class="setup-step-number" aria-hidden="true">
              {isDone(step) ? <Icon name="check" /> : index() + 1}
            </span>
            {ta(`setup.step.${step}` as AdminKey)}
          </li>
        )}
      </For>
    </ol>
  );
}
