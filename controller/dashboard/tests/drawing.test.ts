import { describe, expect, it } from 'vitest';
import { ROBOT_STATE } from '../src/protocol/compat';
import {
  differVisibly,
  goalDrawing,
  postureFromDrawing,
  presentDrawing,
} from '../src/logic/drawing';
import { rpyFromRotation, norm, subtract, rotationFromRpy } from '../src/logic/geometry';
import { ROD_LENGTH } from '../src/logic/stewart-platform';
import {
  aimAt,
  distort,
  unproject,
  undistort,
  type CameraIntrinsics,
} from '../src/logic/camera-model';
import type { RobotState } from '../src/protocol/responses';
import type { Posture } from '../src/protocol/joints';
import { decodeFrame, frameFromState } from '../src/protocol/telemetry';
import { fixture, bytes } from './fixtures';

const { frames, state } = fixture<{ frames: string[]; state: RobotState }>('frame', {
  inside: { state: ROBOT_STATE },
});

describe('drawing', () => {
  it('has rods of the right length for recorded states', () => {
    for (const frame of [frameFromState(state), decodeFrame(bytes(frames[0]!))!]) {
      for (const leg of presentDrawing(frame)!.legs) {
        expect(norm(subtract(leg.ballJoint, leg.elbow))).toBeCloseTo(ROD_LENGTH, 3);
      }
    }
  });

  it('solves the goal pose from the goals of the motors', () => {
    const frame = decodeFrame(bytes(frames[1]!))!;
    const found = postureFromDrawing(goalDrawing(frame)!);
    expect(found.yaw_deg).toBeCloseTo(20, 0);
    expect(found.pitch_deg).toBeCloseTo(0, 0);
    expect(Math.abs(found.z_mm)).toBeLessThan(0.5);
    expect(differVisibly(presentDrawing(frame)!, goalDrawing(frame)!)).toBe(false);
  });

  it('solves a goal far from the present pose', () => {
    const frame = decodeFrame(bytes(frames[1]!))!;
    const behind = { ...frame, posture: { ...frame.posture!, yaw_deg: -30, pitch_deg: 20 } };
    expect(postureFromDrawing(goalDrawing(behind)!).yaw_deg).toBeCloseTo(20, 0);
    expect(differVisibly(goalDrawing(frame)!, presentDrawing(behind)!)).toBe(true);
  });

  it('returns null if a motor position is unknown', () => {
    const frame = frameFromState(state);
    expect(presentDrawing({ ...frame, posture: null })).toBeNull();
    expect(presentDrawing({ ...frame, present_deg: [0, null, 0, 0, 0, 0, 0, 0, 0] })).toBeNull();
  });

  it('converts angles to a rotation and back', () => {
    const [roll, pitch, yaw] = rpyFromRotation(rotationFromRpy(0.1, -0.2, 2.5));
    expect([roll, pitch, yaw].map((angle) => angle!.toFixed(6))).toEqual([
      '0.100000',
      '-0.200000',
      '2.500000',
    ]);
  });
});

describe('the camera model', () => {
  const specs = fixture<CameraIntrinsics>('specs');
  const ahead: Posture = { ...state.posture!, yaw_deg: 0, pitch_deg: 0, roll_deg: 0 };

  it('keeps its direction for a click in the center', () => {
    const aim = aimAt(unproject(specs, 0.5, 0.5)!, { ...ahead, yaw_deg: 20, pitch_deg: 5 });
    expect(aim.yaw_deg).toBeCloseTo(20);
    expect(aim.pitch_deg).toBeCloseTo(5);
  });

  it('turns right and down for a click there', () => {
    const aim = aimAt(unproject(specs, 0.75, 0.75)!, ahead);
    expect(aim.yaw_deg).toBeLessThan(-20);
    expect(aim.pitch_deg).toBeGreaterThan(15);
    // What is at the right edge lies half of the lens's angle aside.
    expect(aimAt(unproject(specs, 1, 0.5)!, ahead).yaw_deg).toBeCloseTo(-49.3, 0);
  });

  it('undistorts what the lens distorts', () => {
    const arducam = [-0.0694, 0.1565, -0.0004, 0.0003, -0.0983];
    const [x, y] = distort(0.6, -0.4, arducam);
    const straight = undistort(x, y, arducam)!;
    expect(straight[0]).toBeCloseTo(0.6, 6);
    expect(straight[1]).toBeCloseTo(-0.4, 6);
  });
});
