/** A table of the motors' measurements. */

import { rangePosition } from '../logic/limits';
import { limits } from '../net/limits';
import { robotState } from '../net/live';
import type { JointState } from '../protocol/responses';
import { formatNumber, messages } from '../i18n';

/** The temperatures from which a motor is shown as warm and as hot, degrees Celsius. */
const WARM_C = 55;
const HOT_C = 64;

const temperatureClass = (celsius: number | null): string =>
  celsius === null ? '' : celsius >= HOT_C ? 'is-bad' : celsius >= WARM_C ? 'is-warn' : '';

const valueText = (value: number | null, digits: number, unit: string): string =>
  value === null
    ? '–'
    : `${formatNumber(value + 0, digits).replace(/^[-−](0([.,]0+)?)$/, '$1')}${unit}`;

export function Motors() {
  const w = messages.value.robot;
  const joints = robotState.value?.state.joints ?? [];
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={w.motors}>
      <table class="numbers motors">
        <thead>
          <tr>
            {[
              w.motor,
              w.angle,
              w.goal,
              ...(limits.value === null ? [] : [w.range]),
              w.temperature,
              w.voltage,
              w.current,
              w.torque,
              w.freshness,
              w.errors,
            ].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {joints.map((joint) => (
            <Row key={joint.name} joint={joint} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ joint }: { joint: JointState }) {
  const w = messages.value.robot;
  return (
    <tr>
      <th scope="row">{joint.name}</th>
      <td>{valueText(joint.present_deg, 1, '°')}</td>
      <td>{valueText(joint.goal_deg, 1, '°')}</td>
      {limits.value !== null && (
        <td>
          <Range name={joint.name} present={joint.present_deg} goal={joint.goal_deg} />
        </td>
      )}
      <td class={temperatureClass(joint.temperature_c)}>
        {valueText(joint.temperature_c, 0, ' °C')}
      </td>
      <td>{valueText(joint.voltage_v, 2, ' V')}</td>
      <td>{valueText(joint.current_ma, 0, ' mA')}</td>
      <td>{joint.torque ? w.on : w.off}</td>
      <td class={joint.freshness === 'fresh' ? '' : 'is-bad'}>{w[joint.freshness]}</td>
      <td class={joint.errors.length > 0 ? 'is-bad' : ''}>{joint.errors.join(', ') || '–'}</td>
    </tr>
  );
}

interface Angles {
  name: string;
  present: number | null;
  goal: number;
}

/** Shows the present and the goal position of a joint within its range. */
export function Range({ name, present, goal }: Angles) {
  const w = messages.value.robot;
  const range = limits.value?.joints.find((joint) => joint.name === name);
  if (range === undefined) return null;
  const at = rangePosition(range, present, goal);
  const title = `${valueText(range.min_deg, 1, '°')} … ${valueText(range.max_deg, 1, '°')}`;
  return (
    <span class={`range ${at.near === null ? '' : 'is-near'}`} title={title}>
      <svg viewBox="-2 0 104 12" preserveAspectRatio="none" aria-hidden="true">
        <rect class="range-back" y="4" width="100" height="4" />
        <rect class="range-goal" x={100 * at.goal - 2} y="2" width="4" height="8" />
        {at.present !== null && (
          <rect class="range-present" x={100 * at.present - 1} width="2" height="12" />
        )}
      </svg>
      <span class="range-mark">
        {at.near !== null && (
          <>
            <span aria-hidden="true">!</span>
            <span class="hidden">{w.nearLimit}</span>
          </>
        )}
      </span>
    </span>
  );
}
