import { createEffect, type JSX } from 'solid-js';
import { CorrectionNote } from '../design/CorrectionNote.tsx';
import { LanguagePicker, ThemeToggle } from '../design/Preferences.tsx';
import { WaterLines } from '../design/Water.tsx';

/** The frame around sign-in and setup. */
export function SignInFrame(props: {
  title: string;
  lead?: string;
  /** How wide it may become; narrow without. */
  size?: 'wide' | 'page';
  children: JSX.Element;
}): JSX.Element {
  createEffect(() => {
    document.title = `${props.title} · Rillcast`;
  });
  return (
    <div class="door water">
      <WaterLines />
      <main class="door-card" classList={{ 'is-wide': props.size === 'wide', 'is-page': props.size === 'page' }}>
        <div class="door-brand">
          <img src="/img/logo.svg" width="40" height="40" alt="" />
          <span>Rillcast</span>
        </div>
        <header class="stack-tight">
          <h1>{props.title}</h1>
          <p class="muted">{props.lead}</p>
        </header>
        {props.children}
      </main>
      <footer class="door-tools">
        <LanguagePicker />
        <CorrectionNote />
        <ThemeToggle />
      </footer>
    </div>
  );
}
