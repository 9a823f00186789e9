import { describe, expect, it } from 'vitest';
import { CHECK, DETECTIONS, HEALTH, RUN, TOOL } from '../src/protocol/compat';
import type {
  CheckResult,
  Detections,
  Health,
  RunResponse,
  ToolDetails,
} from '../src/protocol/responses';
import { MOTORS } from '../src/protocol/joints';
import { fixture } from './fixtures';

describe('recorded responses contain the fields that the page reads', () => {
  it('health', () => {
    const health = fixture<Health>('health', HEALTH);
    expect(health.status).toBe('ok');
    expect(health.control_loop.period_us).toBe(10_000);
    for (const percentiles of [
      health.control_loop.jitter,
      health.control_loop.wakeup_latency,
      health.control_loop.cycle_time,
    ]) {
      for (const key of ['p50_us', 'p99_us', 'max_us'] as const)
        expect(percentiles![key]).toBeGreaterThan(0);
    }
    expect(health.control_loop.scheduling).toMatchObject({
      realtime_priority: 49,
      memory_locked: true,
    });
  });

  it('a tool', () => {
    const tool = fixture<ToolDetails>('tool', TOOL);
    expect(tool.manifest).toMatchObject({ name: 'sway', version: 2, capabilities: ['motion'] });
    expect(tool.approved).toBe(false);
    expect(tool.code).toContain('def sway');
    expect(tool.usage.tool.runs).toBe(1);
    const report = tool.manifest.report!;
    expect(Object.keys(report.joints).sort()).toEqual([...MOTORS].sort());
    for (const joint of Object.values(report.joints)) {
      expect(joint.margins!.speed_dps).toBeGreaterThan(0);
      expect(joint.min_limit_margin_deg).toBeGreaterThan(0);
    }
  });

  it('a check', () => {
    const rejected = fixture<CheckResult>('check-refused', CHECK);
    expect([rejected.accepted, rejected.phase, rejected.report]).toEqual([false, 'policy', null]);
    expect(rejected.findings[0]).toMatchObject({
      line: 1,
      verdict: 'reject',
      rule: 'unlisted-import',
    });
    const accepted = fixture<CheckResult>('check-accepted', CHECK);
    expect(accepted.accepted).toBe(true);
    expect(accepted.report!.cases).toBeGreaterThan(1);
  });

  it('a run', () => {
    const { run } = fixture<RunResponse>('run', RUN);
    expect(run).toMatchObject({ status: 'returned', value: 2, stdout: '', outputs: [] });
    expect(run.steps[0]).toMatchObject({ kind: 'goto', clamps: [], error: null });
  });

  it('detections', () => {
    const detections = fixture<Detections>('detections', DETECTIONS);
    expect([detections.width, detections.height, detections.objects_unavailable_reason]).toEqual([
      320,
      240,
      null,
    ]);
    expect(detections.objects[0]!.label).toBe('person');
    expect(detections.objects[0]!.bbox_xywh).toHaveLength(4);
  });
});
