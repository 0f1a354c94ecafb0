/** What follows the password: is the address right, and the first stream. */
import { createEffect, type JSX, Match, on, onMount, Switch } from 'solid-js';
import { LoadError, Skeleton } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { navigate } from '../../router.tsx';
import { SignInFrame } from '../SignInFrame.tsx';
import { createSettings, SettingsContext } from '../settings.tsx';
import { AddressStep } from './AddressStep.tsx';
import { StepList } from './StepList.tsx';
import { StreamStep } from './StreamStep.tsx';
import { addressOfStep, rememberStep, type Step } from './steps.ts';

export function Wizard(props: { step: Exclude<Step, 'account'> }): JSX.Element {
  const settings = createSettings();
  onMount(() => void settings.load());
  createEffect(() => rememberStep(props.step));

  const go = (step: Exclude<Step, 'account'>) => navigate(addressOfStep(step));
  const leave = () => {
    rememberStep(undefined);
    navigate('/admin/', 'replace');
    window.scrollTo(0, 0);
  };
  // The button that leads on is at the end of a long step; the next one begins at its beginning.
  createEffect(
    on(
      () => props.step,
      () => window.scrollTo(0, 0),
      { defer: true },
    ),
  );
  const title = () => ta(props.step === 'address' ? 'setup.address.title' : 'setup.stream.title');
  const lead = () => ta(props.step === 'address' ? 'setup.address.lead' : 'setup.stream.lead');

  return (
    <SettingsContext.Provider value={settings}>
      <SignInFrame title={title()} lead={lead()} size="page">
        <StepList now={props.step} />
        <Switch fallback={<Skeleton lines={6} />}>
          <Match when={settings.failure()}>
            <LoadError title={ta('error.load')} text={settings.failure()} onRetry={() => void settings.load()} />
          </Match>
          <Match when={settings.loaded() && props.step === 'address'}>
            <AddressStep onNext={() => go('stream')} />
          </Match>
          <Match when={settings.loaded()}>
            <StreamStep onBack={() => go('address')} onDone={leave} />
          </Match>
        </Switch>
      </SignInFrame>
    </SettingsContext.Provider>
  );
}
