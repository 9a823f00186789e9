/** Charts the measurements of a rehearsal against their limits. */

import type { JointReport, Report } from '../protocol/responses';
import { MOTORS } from '../protocol/joints';
import { formatNumber, messages } from '../i18n';

interface Plot {
  title: string;
  /** The fill of the bar, from 0 to 1, and the text next to it. */
  of: (joint: JointReport) => { part: number; text: string } | null;
}

const barFromLimit = (peak: number, left: number | undefined, unit: string) =>
  left === undefined
    ? null
    : {
        part: peak / Math.max(1e-9, peak + left),
        text: `${formatNumber(peak)} / ${formatNumber(peak + left)} ${unit}`,
      };

export function ReportPlots({ report }: { report: Report }) {
  const w = messages.value.tools;
  const plots: Plot[] = [
    {
      title: w.plots.velocity,
      of: (joint) => barFromLimit(joint.peak_speed_dps, joint.margins?.speed_dps, '°/s'),
    },
    {
      title: w.plots.acceleration,
      of: (joint) =>
        barFromLimit(joint.peak_acceleration_dps2, joint.margins?.acceleration_dps2, '°/s²'),
    },
    {
      title: w.plots.limitMargin,
      of: (joint) => ({
        part: Math.max(0, 1 - joint.min_limit_margin_deg / 90),
        text: `${formatNumber(joint.min_limit_margin_deg, 1)}°`,
      }),
    },
    {
      title: w.plots.trackingError,
      of: (joint) => ({
        part: joint.max_tracking_error_deg / 45,
        text: `${formatNumber(joint.max_tracking_error_deg, 1)}°`,
      }),
    },
  ];
  const coverage = report.line_coverage;
  const facts = [
    w.facts(formatNumber(report.duration_s, 1), report.cases),
    report.rests_at_end ? w.endsAtRest : w.endsMoving,
    w.clampedCycles(report.clamped_cycles),
    ...(coverage === null ? [] : [w.coverage(formatNumber(100 * coverage))]),
  ];
  return (
    <>
      <p>{facts.join(' · ')}</p>
      <div class="plots">
        {plots.map((plot) => (
          <Bars key={plot.title} plot={plot} joints={report.joints} />
        ))}
      </div>
    </>
  );
}

function Bars({ plot, joints }: { plot: Plot; joints: Record<string, JointReport> }) {
  const names = MOTORS.filter((name) => joints[name] !== undefined);
  return (
    <figure class="plot">
      <figcaption>{plot.title}</figcaption>
      <table>
        <tbody>
          {names.map((name) => {
            const bar = plot.of(joints[name] as JointReport);
            if (bar === null) return null;
            const part = Math.max(0, Math.min(1, bar.part));
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="plot-bar">
                  <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="plot-back" width="100" height="8" rx="1" />
                    <rect
                      class={part > 0.9 ? 'plot-near' : 'plot-fill'}
                      width={100 * part}
                      height="8"
                      rx="1"
                    />
                  </svg>
                </td>
                <td>{bar.text}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </figure>
  );
}
