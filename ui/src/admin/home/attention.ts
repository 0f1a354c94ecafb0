/** What needs attention, from what the server says about itself. Knows no DOM. */
import { ta } from '../../i18n/admin.ts';
import { fileSize } from '../../i18n/format.admin.ts';
import { dateTime, relativeTime } from '../../i18n/format.ts';
import { said } from '../../i18n/said.ts';
import type { AdminStatus, AdminStream, LogLine, Setting } from '../../wire.ts';
import type { QueueSummary } from '../federation/wire.ts';
import type { Webhook } from '../integrations/wire.ts';
import type { RecordingsPage } from '../recordings/wire.ts';
import type { Upkeep } from './wire.ts';

export type Level = 'error' | 'warning' | 'info';

export interface Concern {
  id: string;
  level: Level;
  text: string;
  /** Where something can be done about it. */
  action?: { label: string; href: string };
}

/** All that is asked; what could not be had says nothing. */
export interface Facts {
  now: string;
  find: (path: string) => Setting | undefined;
  status?: AdminStatus;
  stream?: AdminStream;
  upkeep?: Upkeep;
  webhooks?: Webhook[];
  deliveries?: QueueSummary;
  logs?: LogLine[];
  recordings?: RecordingsPage;
}

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;
const MAX_BACKUP_AGE_DAYS = 30;
/** Programs that renew certificates do so a month before the end; two weeks are late. */
const CERTIFICATE_DAYS = 14;
const CERTIFICATE_LAST_DAYS = 3;

const ORDER: Level[] = ['error', 'warning', 'info'];

function ofDisk({ upkeep }: Facts): Concern[] {
  const disk = upkeep?.disk;
  if (!disk || disk.totalBytes === 0) return [];
  const share = disk.freeBytes / disk.totalBytes;
  // A tenth of a large disk is still a lot, and the last GiB of a small one goes quickly.
  const isFull = share < 0.03 || disk.freeBytes < GIB / 4;
  const isNearlyFull = (share < 0.1 && disk.freeBytes < 20 * GIB) || disk.freeBytes < GIB;
  if (!isFull && !isNearlyFull) return [];
  return [
    {
      id: 'disk',
      level: isFull ? 'error' : 'warning',
      text: ta(isFull ? 'attention.disk.full' : 'attention.disk', { free: fileSize(disk.freeBytes) }),
      action: { label: ta('nav.hardware'), href: '/admin/hardware-info' },
    },
  ];
}

/** The stream goes on in any case, so nobody else would notice. */
function ofRecordings({ recordings }: Facts): Concern[] {
  const live = recordings?.live;
  if (!live) return [];
  const action = { label: ta('nav.recordings'), href: '/admin/recordings' };
  if (live.isPaused) {
    return [{ id: 'recording-paused', level: 'error', text: ta('recordings.live.paused'), action }];
  }
  if (live.lost === 0) return [];
  const text = ta('recordings.live.lost', { count: live.lost });
  return [{ id: 'recording-lost', level: 'warning', text, action }];
}

function ofBackups({ upkeep, status, now }: Facts): Concern[] {
  if (!upkeep?.canBackUp) return [];
  const action = { label: ta('attention.backup.how'), href: '/admin/help' };
  if (upkeep.lastBackupAt === null) {
    // A server nobody has watched yet has little to lose.
    if (!status?.overallPeakViewerCount) return [];
    return [{ id: 'backup', level: 'info', text: ta('attention.backup.never'), action }];
  }
  const days = (Date.parse(now) - Date.parse(upkeep.lastBackupAt)) / DAY_MS;
  if (days < MAX_BACKUP_AGE_DAYS) return [];
  const text = ta('attention.backup.old', { ago: relativeTime(upkeep.lastBackupAt, now) });
  return [{ id: 'backup', level: 'warning', text, action }];
}

function ofCertificate({ upkeep, now }: Facts): Concern[] {
  const endsAt = upkeep?.certificateEndsAt;
  if (!endsAt) return [];
  const days = (Date.parse(endsAt) - Date.parse(now)) / DAY_MS;
  if (days > CERTIFICATE_DAYS) return [];
  const text = days < 0 ? ta('attention.certificate.ended') : ta('attention.certificate', { date: dateTime(endsAt) });
  return [{ id: 'certificate', level: days < CERTIFICATE_LAST_DAYS ? 'error' : 'warning', text }];
}

/** What nobody has changed since the server was installed. */
function ofDefaults({ find }: Facts): Concern[] {
  const found: Concern[] = [];
  const general = { label: ta('nav.general'), href: '/admin/config/general' };
  const server = { label: ta('nav.server'), href: '/admin/config/server' };
  const isDefault = (path: string) => {
    const setting = find(path);
    return setting !== undefined && setting.source === 'default';
  };
  const keys = find('streamkeys')?.value;
  if (Array.isArray(keys) && keys.length === 0) {
    found.push({ id: 'keys', level: 'error', text: ta('attention.keys'), action: server });
  }
  if (find('serverurl')?.value === '') {
    found.push({ id: 'url', level: 'info', text: ta('attention.url'), action: server });
  }
  if (isDefault('name')) found.push({ id: 'name', level: 'info', text: ta('attention.name'), action: general });
  if (isDefault('pagecontent')) found.push({ id: 'page', level: 'info', text: ta('attention.page'), action: general });
  return found;
}

/** What the encoder could do better, in the server's words. */
function ofStream({ stream }: Facts): Concern[] {
  return (stream?.diagnosis ?? []).map(({ level, code, message, params }) => ({
    id: `stream-${code}`,
    level,
    text: said({ code, params }, message),
    action:
      code.includes('codec') || code.includes('picture')
        ? { label: ta('nav.video'), href: '/admin/config/video' }
        : undefined,
  }));
}

function ofDeliveries({ webhooks, deliveries }: Facts): Concern[] {
  const found: Concern[] = [];
  const action = { label: ta('nav.webhooks'), href: '/admin/webhooks' };
  for (const state of ['failing', 'disabled'] as const) {
    const count = (webhooks ?? []).filter((hook) => hook.state === state).length;
    if (count === 0) continue;
    found.push({
      id: `webhooks-${state}`,
      level: 'warning',
      text: ta(`attention.webhooks.${state}`, { count }),
      action,
    });
  }
  if (deliveries && deliveries.heldHosts > 0) {
    found.push({
      id: 'deliveries',
      level: 'info',
      text: ta('attention.deliveries', { count: deliveries.heldHosts }),
      action: { label: ta('nav.queue'), href: '/admin/federation/deliveries' },
    });
  }
  return found;
}

function ofLogs({ logs, now }: Facts): Concern[] {
  const since = Date.parse(now) - DAY_MS;
  const count = (logs ?? []).filter(({ level, time }) => level === 'error' && Date.parse(time) > since).length;
  if (count === 0) return [];
  const action = { label: ta('nav.logs'), href: '/admin/logs' };
  return [{ id: 'logs', level: 'warning', text: ta('attention.logs', { count }), action }];
}

/** The worst first. */
export function concernsOf(facts: Facts): Concern[] {
  const all = [ofStream, ofRecordings, ofDisk, ofCertificate, ofDefaults, ofDeliveries, ofLogs, ofBackups].flatMap(
    (of) => of(facts),
  );
  return ORDER.flatMap((level) => all.filter((one) => one.level === level));
}
