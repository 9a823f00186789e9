/**
 * The state machine of the control lease of this page.
 *
 * free or lost --request--> requesting
 * requesting --granted--> held
 * requesting --refused or closed--> lost
 * held --rejected (lease ended), closed or timed out--> lost
 * any state --released--> free
 */

export type Lease =
  | { status: 'free' }
  | { status: 'requesting' }
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

export type LossReason = 'refused' | 'ended' | 'timed_out' | 'closed';

export type LeaseEvent =
  | { type: 'request' }
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
    case 'granted':
      if (lease.status !== 'requesting') return lease;
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
