/** Which groups of the menu are open: the one of the page that is shown, and those somebody opened. */
import { createSignal } from 'solid-js';
import type { AdminKey } from '../../i18n/admin.ts';
import { readPreference, writePreference } from '../../storage.ts';

const PREFERENCE = 'menu-groups';

type Choices = Partial<Record<AdminKey, boolean>>;

function stored(): Choices {
  try {
    const found: unknown = JSON.parse(readPreference(PREFERENCE) ?? '{}');
    return found && typeof found === 'object' ? (found as Choices) : {};
  } catch {
    return {};
  }
}

/** `active` is the group of the page that is shown. */
export function createMenuGroups(active: () => AdminKey | undefined) {
  const [choices, setChoices] = createSignal<Choices>(stored());
  const choose = (next: Choices) => {
    setChoices(next);
    writePreference(PREFERENCE, JSON.stringify(next));
  };
  const isOpen = (group: AdminKey) => choices()[group] ?? group === active();
  return {
    isOpen,
    toggle: (group: AdminKey) => choose({ ...choices(), [group]: !isOpen(group) }),
    /** The page that is shown is in sight, whatever was folded before. */
    reveal: (group: AdminKey | undefined) => {
      if (group === undefined || isOpen(group)) return;
      const { [group]: _, ...others } = choices();
      choose(others);
    },
  };
}
