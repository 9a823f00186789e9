import { describe, expect, it } from 'vitest';
import type { Checked, Detections, Health, Ran, Shown } from '../src/protocol/responses';
import { MOTORS } from '../src/protocol/joints';
import { answer } from './fixtures';

describe('answers have what the page reads', () => {
  it('of health', () => {
    const health = answer<Health>('health');
    expect(health.status).toBe('ok');
    expect(health.pulse.period_us).toBe(10_000);
    for (const spread of [health.pulse.jitter, health.pulse.lateness, health.pulse.work]) {
      for (const key of ['p50_us', 'p99_us', 'max_us'] as const)
        expect(spread![key]).toBeGreaterThan(0);
    }
    expect(health.pulse.privilege).toMatchObject({ realtime_priority: 49, memory_locked: true });
  });

  it('of a tool', () => {
    const shown = answer<Shown>('tool');
    expect(shown.manifest).toMatchObject({ name: 'sway', version: 2, capabilities: ['motion'] });
    expect(shown.approved).toBe(false);
    expect(shown.code).toContain('def sway');
    expect(shown.usage.tool.runs).toBe(1);
    const report = shown.manifest.report!;
    expect(Object.keys(report.joints).sort()).toEqual([...MOTORS].sort());
    for (const joint of Object.values(report.joints)) {
      expect(joint.margins!.speed_dps).toBeGreaterThan(0);
      expect(joint.least_margin_deg).toBeGreaterThan(0);
    }
  });

  it('of a check', () => {
    const refused = answer<Checked>('check-refused');
    expect([refused.admitted, refused.stage, refused.report]).toEqual([false, 'policy', null]);
    expect(refused.findings[0]).toMatchObject({
      line: 1,
      verdict: 'refuse',
      rule: 'unlisted-import',
    });
    const admitted = answer<Checked>('check-admitted');
    expect(admitted.admitted).toBe(true);
    expect(admitted.report!.cases).toBeGreaterThan(1);
  });

  it('of a run', () => {
    const { performance } = answer<Ran>('run');
    expect(performance).toMatchObject({ ended: 'returned', value: 2, printed: '', outputs: [] });
    expect(performance.steps[0]).toMatchObject({ kind: 'goto', trims: [], refusal: null });
  });

  it('of what is seen', () => {
    const seen = answer<Detections>('detections');
    expect([seen.width, seen.height, seen.without]).toEqual([320, 240, null]);
    expect(seen.things[0]!.label).toBe('person');
    expect(seen.things[0]!.bounds).toHaveLength(4);
  });
});
