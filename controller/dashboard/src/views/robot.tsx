/** The robot as it is now: in space, through its camera, and in numbers. */

import { Camera } from '../components/camera';
import { Motors } from '../components/motors';
import { PostureTable } from '../components/posture';
import { Robot3D } from '../components/robot-3d';
import { Card } from '../components/basics';
import { Trims } from '../components/clamps';
import { body, bodyStale, frame, stale } from '../net/live';
import { words } from '../i18n';

export function RobotView() {
  const w = words.value;
  const doing = frame.value?.doing;
  const fault = body.value?.state.fault;
  return (
    <div class="view robot-view">
      <Card
        title={w.views.robot}
        class="scene-card"
        aside={
          <span class={`badge ${stale.value ? 'is-stale' : 'is-plain'}`}>
            {doing === undefined ? '–' : w.doing[doing]}
          </span>
        }
      >
        <Robot3D />
      </Card>
      <Camera />
      {fault && (
        <p class="fault" role="alert">
          {w.robot.fault}: {fault}
        </p>
      )}
      <Card title={w.robot.posture} class={stale.value ? 'is-old' : ''}>
        <PostureTable />
        <Trims />
      </Card>
      <Card title={w.robot.motors} class={`wide ${bodyStale.value ? 'is-old' : ''}`}>
        <Motors />
        <p class="note">{w.robot.noBattery}</p>
      </Card>
    </div>
  );
}
