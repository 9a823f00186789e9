/** The texts of teleoperation in English. */

export const drive = {
  takeControl: 'Take control',
  takeOver: 'Take over',
  release: 'Release control',
  requesting: 'Requesting',
  inControl: 'You are in control',
  free: 'No one is in control.',
  others: (owner: string, purpose: string) => `${owner} is in control (${purpose}).`,
  purpose: 'dashboard',
  lost: {
    refused: 'The request was rejected.',
    ended: 'Control ended. The robot holds its position.',
    timed_out: 'Control timed out: the robot does not respond.',
    closed: 'The connection closed. The robot holds its position.',
  },
  heartbeat: (ms: string) => `Heartbeat answered in ${ms} ms`,
  noHeartbeat: 'No heartbeat answered yet',
  latency: 'Latency',
  speed: 'Speed',
  pads: 'Touch pads',
  padHint: 'Drag, or use the arrow keys.',
  headPad: 'Head yaw and pitch',
  bodyPad: 'Body yaw and head height',
  controls: 'Controls',
  center: 'Center all',
  clamped: 'clamped',
  stopped: 'Stopped. Move a control to resume.',
  keys: 'Keyboard and gamepad',
  keyMap:
    'Arrows: head yaw and pitch · A D: body yaw · W S: height · Q E: roll · Z X: antennas · Space: STOP',
  gamepad: (name: string) => `Gamepad: ${name}`,
  noGamepad: 'No gamepad. Connect one and press a button.',
  gamepadMap:
    'Right stick: head · left stick: body yaw and height · bumpers: roll · triggers: antennas · B: STOP',
  click: 'Click the image to look at that point.',
  clickLater: 'Take control first, then click the image to look at a point.',
  noCalibration: 'The server reports no camera calibration.',
  notLive: 'The robot is not live. No targets are sent.',
  limited: {
    title: 'Held back by the limits',
    wanted: 'wanted',
    reached: 'reached',
    unreachable: 'no pose of the legs reaches it',
    unknown: 'a limit',
    axis: (axis: string, cause: string) => `${axis}: ${cause}`,
    amounts: (wanted: string, reached: string) => `${wanted} → ${reached}`,
  },
};

export type DriveTexts = typeof drive;
