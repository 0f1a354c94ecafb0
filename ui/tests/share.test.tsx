import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { embedCode, pageAddress } from '../src/viewer/share/codes.ts';
import { ShareButton } from '../src/viewer/share/ShareButton.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

const canonical = (href: string) => {
  const link = document.createElement('link');
  link.rel = 'canonical';
  link.href = href;
  document.head.append(link);
};

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(() => {
  cleanup();
  document.querySelector('link[rel="canonical"]')?.remove();
  vi.unstubAllGlobals();
});

describe('what is shared', () => {
  test('is the public address, or else the one in use', () => {
    expect(pageAddress()).toBe(`${location.origin}/`);
    canonical('https://live.example/');
    expect(pageAddress()).toBe('https://live.example/');
  });

  test('the code shows the player, and the chat if that is wanted, under a harmless title', () => {
    const alone = embedCode('https://live.example/', 'A "b" <c>', false);
    expect(alone).toContain('src="https://live.example/embed/video"');
    expect(alone).toContain('title="A &quot;b&quot; &lt;c&gt;"');
    expect(alone).not.toContain('/embed/chat');
    const both = document.createElement('div');
    both.innerHTML = embedCode('https://live.example/', 'A', true);
    const frames = [...both.querySelectorAll('iframe')].map((frame) => frame.getAttribute('src'));
    expect(frames).toEqual(['https://live.example/embed/video', 'https://live.example/embed/chat/readwrite']);
  });
});

describe('the share dialog', () => {
  const open = async (hasChat = true) => {
    render(() => <ShareButton name="Brook" title="A walk" hasChat={hasChat} />);
    fireEvent.click(screen.getByRole('button', { name: 'Share' }));
    return screen.findByRole('dialog', { name: 'Share this stream' });
  };

  test('has link, code and the address for players, and the code follows the choice', async () => {
    canonical('https://live.example/');
    const dialog = await open();
    expect(dialog.textContent).toContain('https://live.example/hls/stream.m3u8');
    expect(dialog.textContent).not.toContain('/embed/chat');
    fireEvent.click(screen.getByLabelText('With chat'));
    expect(dialog.textContent).toContain('https://live.example/embed/chat/readwrite');
    for (const name of ['Copy: Link', 'Copy: Embed code']) expect(screen.getByRole('button', { name })).toBeTruthy();
  });

  test('offers no chat where there is none, and sends only where the browser can', async () => {
    await open(false);
    expect(screen.queryByLabelText('With chat')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Send to…' })).toBeNull();
  });

  test('hands the address to the system', async () => {
    const share = vi.fn(() => Promise.reject(new Error('changed their mind')));
    vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { share }));
    await open();
    fireEvent.click(screen.getByRole('button', { name: 'Send to…' }));
    expect(share).toHaveBeenCalledWith({ title: 'A walk', url: `${location.origin}/` });
  });

  test('closes, and the button has the focus again', async () => {
    await open();
    fireEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(document.activeElement?.id).toBe('share-button');
  });
});
