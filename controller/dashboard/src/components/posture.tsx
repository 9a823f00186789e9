/** A table of the present and the goal posture of head, body and antennas. */

import { goalDrawing, postureFromDrawing } from '../logic/drawing';
import { AXES, setpointFromPosture } from '../logic/teleop';
import { frame } from '../net/live';
import { formatNumber, messages } from '../i18n';

export function PostureTable() {
  const w = messages.value;
  const latest = frame.value;
  const actual = latest?.posture ? setpointFromPosture(latest.posture) : null;
  const goalPose = latest === null ? null : goalDrawing(latest);
  const target = goalPose === null ? null : setpointFromPosture(postureFromDrawing(goalPose));
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
          const valueText = (value: number | undefined) =>
            value === undefined
              ? '–'
              : `${formatNumber(value + 0, 1).replace(/^[-−](0[.,]0)$/, '$1')}${unit}`;
          return (
            <tr key={axis}>
              <th scope="row">{w.axes[axis]}</th>
              <td>{valueText(actual?.[axis])}</td>
              <td>{valueText(target?.[axis])}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
