import { describe, expect, it } from 'vitest';
import type {
  CheckResult,
  Detections,
  Health,
  RunResponse,
  ToolDetails,
} from '../src/protocol/responses';
import { MOTORS } from '../src/protocol/joints';
import { fixture } from './fixtures';

describe('answers have what the page reads', () => {
  it('of health', () => {
    const health = fixture<Health>('health');
    expect(health.status).toBe('ok');
    expect(health.control_loop.period_us).toBe(10_000);
    for (const spread of [
      health.control_loop.jitter,
      health.control_loop.wakeup_latency,
      health.control_loop.cycle_time,
    ]) {
      for (const key of ['p50_us', 'p99_us', 'max_us'] as const)
        expect(spread![key]).toBeGreaterThan(0);
    }
    expect(health.control_loop.scheduling).toMatchObject({
      realtime_priority: 49,
      memory_locked: true,
    });
  });

  it('of a tool', () => {
    const shown = fixture<ToolDetails>('tool');
    expect(shown.manifest).toMatchObject({ name: 'sway', version: 2, capabilities: ['motion'] });
    expect(shown.approved).toBe(false);
    expect(shown.code).toContain('def sway');
    expect(shown.usage.tool.runs).toBe(1);
    const report = shown.manifest.report!;
    expect(Object.keys(report.joints).sort()).toEqual([...MOTORS].sort());
    for (const joint of Object.values(report.joints)) {
      expect(joint.margins!.speed_dps).toBeGreaterThan(0);
      expect(joint.min_limit_margin_deg).toBeGreaterThan(0);
    }
  });

  it('of a check', () => {
    const refused = fixture<CheckResult>('check-refused');
    expect([refused.accepted, refused.phase, refused.report]).toEqual([false, 'policy', null]);
    expect(refused.findings[0]).toMatchObject({
      line: 1,
      verdict: 'refuse',
      rule: 'unlisted-import',
    });
    const admitted = fixture<CheckResult>('check-admitted');
    expect(admitted.accepted).toBe(true);
    expect(admitted.report!.cases).toBeGreaterThan(1);
  });

  it('of a run', () => {
    const { run: performance } = fixture<RunResponse>('run');
    expect(performance).toMatchObject({ ended: 'returned', value: 2, printed: '', outputs: [] });
    expect(performance.steps[0]).toMatchObject({ kind: 'goto', trims: [], refusal: null });
  });

  it('of what is seen', () => {
    const seen = fixture<Detections>('detections');
    expect([seen.width, seen.height, seen.objects_unavailable_reason]).toEqual([320, 240, null]);
    expect(seen.objects[0]!.label).toBe('person');
    expect(seen.objects[0]!.bbox_xywh).toHaveLength(4);
  });
});
