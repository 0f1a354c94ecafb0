import { render, screen } from '@solidjs/testing-library';
import { describe, expect, it } from 'vitest';
import { KeyValueEditor } from '../src/design/KeyValueEditor.tsx';
import { PlatformIcon } from '../src/design/PlatformIcon.tsx';

const shown = (container: HTMLElement) =>
  container.querySelector<HTMLElement>('.platform-icon')?.style.getPropertyValue('--platform-icon');

describe('the sign of a platform', () => {
  it('is the server’s own, and a link for everything else', () => {
    const { container } = render(() => <PlatformIcon src="/img/platformlogos/github.svg" />);
    expect(shown(container)).toBe('url("/img/platformlogos/github.svg")');
    for (const other of [undefined, '', 'https://elsewhere.example/x.svg', '/img/platformlogos/x.svg"),url("//e']) {
      const { container } = render(() => <PlatformIcon src={other} />);
      expect(shown(container)).toBe('url("/img/platformlogos/website.svg")');
    }
  });

  it('stands beside the choice in the admin pages', () => {
    const { container } = render(() => (
      <KeyValueEditor
        label="Links"
        pairs={[{ key: 'github', value: 'https://github.com/x' }]}
        keys={{
          options: [{ value: 'github', label: 'GitHub', icon: '/img/platformlogos/github.svg' }],
          only: true,
          label: 'Platform',
        }}
        valueLabel="Address"
        addLabel="Add"
        removeLabel="Remove"
        emptyText="None"
        onChange={() => {}}
      />
    ));
    expect(shown(container)).toBe('url("/img/platformlogos/github.svg")');
    expect(screen.getByRole('combobox', { name: 'Platform' })).toBeTruthy();
  });
});
