/** Where head, body and antennas are, and where they are told to be. */

import { goal, postureOf } from '../logic/drawing';
import { AXES, staying } from '../logic/teleop';
import { frame } from '../net/live';
import { number, words } from '../i18n';

export function PostureTable() {
  const w = words.value;
  const newest = frame.value;
  const is = newest?.posture ? staying(newest.posture) : null;
  const wanted = newest === null ? null : goal(newest);
  const target = wanted === null ? null : staying(postureOf(wanted));
  return (
    <table class="numbers">
      <thead>
        <tr>
          <th scope="col">
            <span class="hidden">{w.robot.posture}</span>
          </th>
          <th scope="col">{w.robot.present}</th>
          <th scope="col">{w.robot.target}</th>
        </tr>
      </thead>
      <tbody>
        {AXES.map((axis) => {
          const unit = axis.endsWith('mm') ? ' mm' : '°';
          const told = (value: number | undefined) =>
            value === undefined
              ? '–'
              : `${number(value + 0, 1).replace(/^[-−](0[.,]0)$/, '$1')}${unit}`;
          return (
            <tr key={axis}>
              <th scope="row">{w.axes[axis]}</th>
              <td>{told(is?.[axis])}</td>
              <td>{told(target?.[axis])}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
