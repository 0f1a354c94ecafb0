// The reader of playlists, which other tests rely on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributes, parse, renditionsIn } from './hls.mjs';
import { publishUrl } from './publisher.mjs';
import { qualitiesIn } from './qualities.mjs';

const LIVE = `#EXTM3U
#EXT-X-TARGETDURATION:2
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5
#EXT-X-MEDIA-SEQUENCE:7
#EXT-X-MAP:URI="init-1.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-02T03:04:05.678Z
#EXTINF:2.00000,
7.m4s
#EXT-X-DISCONTINUITY
#EXT-X-PART:DURATION=0.5,URI="8.0.m4s",INDEPENDENT=YES
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="8.1.m4s"
`;

test('reads the facts of a live playlist', () => {
  const found = parse(LIVE);
  assert.equal(found.mediaSequence, 7);
  assert.equal(found.targetDuration, 2);
  assert.deepEqual(found.segments, ['7.m4s']);
  assert.deepEqual(found.durations, [2]);
  assert.deepEqual(found.parts, [{ DURATION: '0.5', URI: '8.0.m4s', INDEPENDENT: 'YES' }]);
  assert.deepEqual(found.maps, ['init-1.mp4']);
  assert.deepEqual(found.dates, [Date.UTC(2026, 0, 2, 3, 4, 5, 678)]);
  assert.equal(found.discontinuities, 1);
  assert.equal(found.hint.URI, '8.1.m4s');
  assert.equal(found.control['PART-HOLD-BACK'], '1.5');
  assert.equal(found.hasEnded, false);
  assert.equal(parse(`${LIVE}#EXT-X-ENDLIST\n`).hasEnded, true);
});

test('says which segments each init segment begins, by their numbers', () => {
  const change = '#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI="init-2.mp4"\n';
  const changed = LIVE.replace('#EXT-X-DISCONTINUITY\n', `8.m4s\n${change}9.m4s\n`);
  assert.deepEqual(parse(LIVE).stretches, [{ map: 'init-1.mp4', first: 7, segments: ['7.m4s'] }]);
  assert.deepEqual(parse(changed).stretches, [
    { map: 'init-1.mp4', first: 7, segments: ['7.m4s', '8.m4s'] },
    { map: 'init-2.mp4', first: 9, segments: ['9.m4s'] },
  ]);
});

test('keeps commas inside quotes', () => {
  const found = attributes('BANDWIDTH=1,CODECS="avc1.64001f,mp4a.40.2",FRAME-RATE=30.000');
  assert.deepEqual(found, { BANDWIDTH: '1', CODECS: 'avc1.64001f,mp4a.40.2', 'FRAME-RATE': '30.000' });
});

test('puts the key behind the address the server gave', () => {
  assert.equal(publishUrl({ rtmp: 'rtmp://127.0.0.1:4000/live', streamKey: 'k' }), 'rtmp://127.0.0.1:4000/live/k');
  assert.equal(publishUrl({ rtmp: '127.0.0.1:4000', streamKey: 'k' }, 'other'), 'rtmp://127.0.0.1:4000/live/other');
});

const MASTER = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Sound",URI="audio/stream.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=9,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=320x180,AUDIO="audio"
1/video.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=20,CODECS="avc1.640020",RESOLUTION=640x360
0/video.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=2,CODECS="mp4a.40.2",AUDIO="audio"
audio/stream.m3u8
`;

test('reads the pictures of a list of renditions in its order, and leaves out sound alone', () => {
  assert.deepEqual(qualitiesIn(MASTER), [
    { path: '/hls/1/video.m3u8', size: '320x180', codecs: 'avc1.64001e,mp4a.40.2' },
    { path: '/hls/0/video.m3u8', size: '640x360', codecs: 'avc1.640020' },
  ]);
});

test('finds every list of renditions once, and knows pictures from sound', () => {
  assert.deepEqual(renditionsIn(MASTER), [
    { path: '/hls/audio/stream.m3u8', kind: 'audio' },
    { path: '/hls/1/video.m3u8', kind: 'video' },
    { path: '/hls/0/video.m3u8', kind: 'video' },
  ]);
});
