import { describe, expect, test, vi } from 'vitest';
import { make, OPTIONS, ordinary, sparse, video } from './hls-fakes.ts';

describe('with key frames far apart', () => {
  function begun(details: ReturnType<typeof ordinary>) {
    const { engine, hls } = make();
    hls.liveSyncPosition = 9;
    hls.latestLevelDetails = { partHoldBack: 1.5, holdBack: 6, edge: 10, age: 0, ...details };
    hls.say('updated', { details });
    return { engine, hls };
  }
  function bufferedFrom(start: number, end: number) {
    const ranges = { length: 1, start: () => start, end: () => end };
    return vi.spyOn(video, 'buffered', 'get').mockReturnValue(ranges);
  }

  test('an ordinary stream is started where hls.js starts it', () => {
    expect(begun(ordinary()).hls.startLoad).not.toHaveBeenCalled();
  });

  test('it starts just behind the last key frame before the live edge, where the sound has begun as well', () => {
    expect(begun(sparse()).hls.startLoad).toHaveBeenCalledExactlyOnceWith(2.25);
    const details = sparse();
    details.partList.forEach((part) => {
      part.independent = part.start === 8.5 || part.start === 9.5;
    });
    expect(begun(details).hls.startLoad).toHaveBeenCalledExactlyOnceWith(8.75);
  });

  test('without any key frame it leaves the start to hls.js', () => {
    const details = sparse();
    for (const fragment of details.fragments) fragment.title = 'continues';
    expect(begun(details).hls.startLoad).not.toHaveBeenCalled();
  });

  test('it jumps to live only into what can be shown', () => {
    const { engine } = begun(sparse());
    const buffered = bufferedFrom(2, 9.5);
    video.currentTime = 3;
    engine.seekToLive();
    expect(video.currentTime).toBe(9);
    buffered.mockRestore();

    video.currentTime = 0.5;
    engine.seekToLive();
    expect(video.currentTime).toBe(2.25);
  });

  test('where only the first segment is whole it begins with that one, too', () => {
    const details = sparse();
    details.fragments = [{ start: 7, title: null }];
    details.partList = [9, 9.5].map((start, index) => ({ start, index, independent: false }));
    expect(begun(details).hls.startLoad).toHaveBeenCalledExactlyOnceWith(7.25);
  });

  test('whoever wants to begin elsewhere begins there, just behind the key frame before it', () => {
    const begin = () => 3;
    const ordinarily = make({ ...OPTIONS, begin });
    ordinarily.hls.say('updated', { details: ordinary() });
    expect(ordinarily.hls.startLoad).toHaveBeenCalledExactlyOnceWith(3);
    const sparsely = make({ ...OPTIONS, begin });
    sparsely.hls.say('updated', { details: sparse() });
    expect(sparsely.hls.startLoad).toHaveBeenCalledExactlyOnceWith(2.25);
  });

  test('a place in the list is gone to where its picture begins', () => {
    begun(ordinary()).engine.seek(5);
    expect(video.currentTime).toBe(5);
    begun(sparse()).engine.seek(5);
    expect(video.currentTime).toBe(2.25);
  });

  test('a rescue goes to what has arrived further on, or else to the last key frame', () => {
    const { engine } = begun(sparse());
    const buffered = bufferedFrom(5, 7);
    video.currentTime = 4;
    engine.rescue();
    expect(video.currentTime).toBe(5.01);
    video.currentTime = 8;
    engine.rescue();
    expect(video.currentTime).toBe(2.25);
    video.currentTime = 2;
    buffered.mockRestore();
    engine.rescue();
    expect(video.currentTime).toBe(2);
  });

  test('a rescue leaves an ordinary stream that is slow to arrive alone', () => {
    const { engine } = begun(ordinary());
    video.currentTime = 3;
    engine.rescue();
    expect(video.currentTime).toBe(3);
  });

  test('who waits for the next part is not thrown back to the last key frame', () => {
    const { engine } = begun(sparse());
    const buffered = bufferedFrom(2, 5);
    video.currentTime = 5;
    engine.seekToLive();
    expect(video.currentTime).toBe(5);
    buffered.mockRestore();
  });

  test('it does not jump back behind what is playing', () => {
    const { engine } = begun(sparse());
    const buffered = bufferedFrom(2, 5);
    video.currentTime = 4;
    engine.seekToLive();
    expect(video.currentTime).toBe(4);
    buffered.mockRestore();
  });
});
