/** The current state of the robot: 3D view, camera and measurements. */

import { Camera } from '../components/camera';
import { Motors } from '../components/motors';
import { PostureTable } from '../components/posture';
import { Robot3D } from '../components/robot-3d';
import { Card } from '../components/basics';
import { TourOffer } from '../components/tour-offer';
import { Clamps } from '../components/clamps';
import { WhyFault } from '../components/why';
import { robotState, robotStateStale, frame, stale } from '../net/live';
import { messages } from '../i18n';

export function RobotView() {
  const w = messages.value;
  const motionState = frame.value?.motion_state;
  const fault = robotState.value?.state.fault;
  return (
    <div class="view robot-view">
      <TourOffer />
      <Card
        title={w.views.robot}
        class="scene-card"
        aside={
          <span class={`badge ${stale.value ? 'is-stale' : 'is-plain'}`}>
            {motionState === undefined ? '–' : w.motionStates[motionState]}
          </span>
        }
      >
        <Robot3D />
      </Card>
      <Camera />
      {fault && (
        <div class="fault">
          <p role="alert">
            {w.robot.fault}: {fault}
          </p>
          <WhyFault />
        </div>
      )}
      <Card title={w.robot.posture} class={stale.value ? 'is-old' : ''}>
        <PostureTable />
        <Clamps />
      </Card>
      <Card title={w.robot.motors} class={`wide ${robotStateStale.value ? 'is-old' : ''}`}>
        <Motors />
        <p class="note">{w.robot.noBattery}</p>
      </Card>
    </div>
  );
}
