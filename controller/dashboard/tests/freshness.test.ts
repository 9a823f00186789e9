import { describe, expect, it } from 'vitest';
import { retryDelay } from '../src/logic/backoff';
import { Freshness } from '../src/logic/freshness';

describe('freshness', () => {
  it('is stale before the first message', () => {
    expect(new Freshness().isStale(0)).toBe(true);
  });

  it('ages from the last message', () => {
    const fresh = new Freshness();
    for (let at = 0; at <= 1000; at += 20) fresh.received(50 + at / 1000, 9000 + at);
    expect(fresh.age(10_010)).toBeCloseTo(10);
    expect(fresh.isStale(10_500)).toBe(false);
    expect(fresh.isStale(10_501)).toBe(true);
  });

  it('counts a delayed message as old', () => {
    const fresh = new Freshness();
    fresh.received(1, 1000);
    // Read 0.1 s later, and arrived 0.8 s later.
    fresh.received(1.1, 1800);
    expect(fresh.age(1800)).toBeCloseTo(700);
    expect(fresh.isStale(1800)).toBe(true);
  });

  it('counts a repeated reading as old', () => {
    const fresh = new Freshness();
    for (let at = 0; at <= 900; at += 20) fresh.received(5, at);
    expect(fresh.age(900)).toBeCloseTo(900);
  });

  it('adds the latency of every message', () => {
    const fresh = new Freshness();
    fresh.received(1, 1000);
    fresh.addRoundTrip(1100, 1000);
    fresh.addRoundTrip(1400, 1000);
    expect(fresh.age(1000)).toBeCloseTo(550);
    expect(fresh.roundTrip(1000)).toBe(1400);
    expect(fresh.roundTrip(20_000)).toBeNull();
  });

  it('restarts with a restarted robot', () => {
    const fresh = new Freshness();
    fresh.received(5000, 1000);
    fresh.received(0.5, 4000);
    expect(fresh.age(4020)).toBeCloseTo(20);
  });

  it('uses the arrival time without a robot clock', () => {
    const fresh = new Freshness();
    fresh.received(null, 1000);
    expect(fresh.age(1200)).toBe(200);
  });
});

describe('retry delays', () => {
  it('grow up to a maximum', () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 50].map((tries) => retryDelay(tries, 1));
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
    expect(retryDelay(3, 0)).toBe(1000);
  });
});
