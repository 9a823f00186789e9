/**
 * The state machine of the control lease of this page.
 *
 * free or lost --request--> requesting
 * free or lost --ask the holder--> asking
 * requesting or asking --granted--> held
 * requesting --refused or closed--> lost
 * asking --answered otherwise, or unreachable--> lost
 * held --rejected (lease ended), handed over, closed or timed out--> lost
 * any state --released--> free
 */

export type Lease =
  | { status: 'free' }
  | { status: 'requesting' }
  /** Waits for the answer of the holder. */
  | { status: 'asking' }
  | {
      status: 'held';
      id: string;
      owner: string;
      heartbeat_ms: number;
      /** When the robot last answered a heartbeat, and its round trip, milliseconds. */
      answeredAt: number;
      roundTrip: number | null;
      /** Why the robot rejected a recent target. */
      rejection: { reason: string; at: number } | null;
    }
  | { status: 'lost'; reason: LossReason; detail: string };

export type LossReason =
  | 'refused'
  | 'ended'
  | 'timed_out'
  | 'closed'
  | 'handed_over'
  /** How the holder of the lease, or the server for it, answered a request. */
  | 'declined'
  | 'expired'
  | 'replaced';

export type LeaseEvent =
  | { type: 'request' }
  | { type: 'ask' }
  | { type: 'answered'; reason: 'declined' | 'expired' | 'replaced' | 'closed'; detail: string }
  | { type: 'handed_over'; owner: string }
  | { type: 'granted'; id: string; owner: string; heartbeat_ms: number; now: number }
  | { type: 'refused'; detail: string }
  | { type: 'heartbeat'; sent: unknown; now: number }
  | { type: 'rejected'; reason: string; now: number }
  | { type: 'sent'; now: number }
  | { type: 'closed' }
  | { type: 'released' }
  | { type: 'tick'; now: number };

/** A target without a rejection for this long can be followed, milliseconds. */
const SETTLED_MS = 600;

/** The heartbeat intervals without an answer after which the lease is lost. The robot ends it at the same time. */
const ALLOWED_MISSES = 2;

export function nextLease(lease: Lease, event: LeaseEvent): Lease {
  switch (event.type) {
    case 'request':
      return lease.status === 'held' ? lease : { status: 'requesting' };
    case 'ask':
      return lease.status === 'held' ? lease : { status: 'asking' };
    case 'answered':
      return lease.status === 'asking'
        ? { status: 'lost', reason: event.reason, detail: event.detail }
        : lease;
    case 'handed_over':
      return lease.status === 'held'
        ? { status: 'lost', reason: 'handed_over', detail: event.owner }
        : lease;
    case 'granted':
      if (lease.status !== 'requesting' && lease.status !== 'asking') return lease;
      return {
        status: 'held',
        id: event.id,
        owner: event.owner,
        heartbeat_ms: event.heartbeat_ms,
        answeredAt: event.now,
        roundTrip: null,
        rejection: null,
      };
    case 'refused':
      return lease.status === 'requesting'
        ? { status: 'lost', reason: 'refused', detail: event.detail }
        : lease;
    case 'heartbeat':
      if (lease.status !== 'held') return lease;
      return {
        ...lease,
        answeredAt: event.now,
        roundTrip: typeof event.sent === 'number' ? event.now - event.sent : lease.roundTrip,
      };
    case 'rejected':
      if (lease.status !== 'held') return lease;
      if (/lease has ended/.test(event.reason))
        return { status: 'lost', reason: 'ended', detail: event.reason };
      return { ...lease, rejection: { reason: event.reason, at: event.now } };
    case 'sent':
      return lease.status === 'held' &&
        lease.rejection &&
        event.now - lease.rejection.at > SETTLED_MS
        ? { ...lease, rejection: null }
        : lease;
    case 'closed':
      return lease.status === 'held' || lease.status === 'requesting'
        ? { status: 'lost', reason: 'closed', detail: '' }
        : lease;
    case 'released':
      return { status: 'free' };
    case 'tick':
      return lease.status === 'held' &&
        event.now - lease.answeredAt > ALLOWED_MISSES * lease.heartbeat_ms + 500
        ? { status: 'lost', reason: 'timed_out', detail: '' }
        : lease;
  }
}

/** Returns the heartbeat interval, milliseconds. It is short enough to tolerate a few late heartbeats. */
export const heartbeatInterval = (heartbeat_ms: number): number => Math.max(50, heartbeat_ms / 4);
