import type { Component } from 'solid-js';
import { EmptyState } from '../../design/Feedback.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';

/** The page of something that is looked for here and does not exist yet. */
export function notYet(text: AdminKey): Component {
  return () => (
    <section class="card">
      <EmptyState>
        <p>{ta(text)}</p>
        <Link class="button" href="/admin/">
          {ta('missing.back')}
        </Link>
      </EmptyState>
    </section>
  );
}
