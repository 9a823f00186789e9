/**
 * The lease of whoever steers, as a machine: what was heard goes in, what is so comes out.
 *
 *   free --ask--> asking --granted--> held --ended/closed--> lost
 *    ^              |                  |  '--give back--> free
 *    '---refused----'--refused: lost   |
 *    '----------------ask-------------- lost
 */

export type Lease =
  | { is: 'free' }
  | { is: 'asking' }
  | {
      is: 'held';
      id: string;
      owner: string;
      heartbeat_ms: number;
      /** When the robot answered a heartbeat last, and how long that took, milliseconds. */
      answered: number;
      trip: number | null;
      /** What the robot refused of the newest targets. */
      refused: { why: string; at: number } | null;
    }
  | { is: 'lost'; why: Loss; detail: string };

export type Loss = 'refused' | 'ended' | 'silent' | 'closed';

export type Heard =
  | { type: 'ask' }
  | { type: 'granted'; id: string; owner: string; heartbeat_ms: number; now: number }
  | { type: 'refused'; detail: string }
  | { type: 'heartbeat'; sent: unknown; now: number }
  | { type: 'held_back'; why: string; now: number }
  | { type: 'sent'; now: number }
  | { type: 'closed' }
  | { type: 'given_back' }
  | { type: 'tick'; now: number };

/** A target after which nothing was refused for so long is one that the robot can follow, milliseconds. */
const SETTLED_MS = 600;

/** Without an answer for so many times the agreed interval, the lease is taken for lost: so does the robot. */
const PATIENCE = 2;

export function next(lease: Lease, heard: Heard): Lease {
  switch (heard.type) {
    case 'ask':
      return lease.is === 'held' ? lease : { is: 'asking' };
    case 'granted':
      if (lease.is !== 'asking') return lease;
      return {
        is: 'held',
        id: heard.id,
        owner: heard.owner,
        heartbeat_ms: heard.heartbeat_ms,
        answered: heard.now,
        trip: null,
        refused: null,
      };
    case 'refused':
      return lease.is === 'asking' ? { is: 'lost', why: 'refused', detail: heard.detail } : lease;
    case 'heartbeat':
      if (lease.is !== 'held') return lease;
      return {
        ...lease,
        answered: heard.now,
        trip: typeof heard.sent === 'number' ? heard.now - heard.sent : lease.trip,
      };
    case 'held_back':
      if (lease.is !== 'held') return lease;
      if (/lease has ended/.test(heard.why)) return { is: 'lost', why: 'ended', detail: heard.why };
      return { ...lease, refused: { why: heard.why, at: heard.now } };
    case 'sent':
      return lease.is === 'held' && lease.refused && heard.now - lease.refused.at > SETTLED_MS
        ? { ...lease, refused: null }
        : lease;
    case 'closed':
      return lease.is === 'held' || lease.is === 'asking'
        ? { is: 'lost', why: 'closed', detail: '' }
        : lease;
    case 'given_back':
      return { is: 'free' };
    case 'tick':
      return lease.is === 'held' && heard.now - lease.answered > PATIENCE * lease.heartbeat_ms + 500
        ? { is: 'lost', why: 'silent', detail: '' }
        : lease;
  }
}

/** How often the heart beats, milliseconds, so that a late beat or two does no harm. */
export const pace = (heartbeat_ms: number): number => Math.max(50, heartbeat_ms / 4);
