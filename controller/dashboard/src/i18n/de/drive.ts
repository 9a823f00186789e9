/** The texts of teleoperation in German. */

import type { DriveTexts } from '../en/drive';

export const drive: DriveTexts = {
  takeControl: 'Steuerung übernehmen',
  takeOver: 'Anderen Bediener ablösen',
  release: 'Steuerung abgeben',
  requesting: 'Wird angefragt',
  inControl: 'Du hast die Steuerung',
  free: 'Niemand hat die Steuerung.',
  others: (owner, purpose) => `${owner} hat die Steuerung (${purpose}).`,
  purpose: 'Dashboard',
  lost: {
    refused: 'Die Anfrage wurde abgelehnt.',
    ended: 'Die Steuerung ist beendet. Der Roboter hält seine Position.',
    timed_out: 'Zeitüberschreitung: Der Roboter antwortet nicht.',
    closed: 'Die Verbindung wurde getrennt. Der Roboter hält seine Position.',
  },
  heartbeat: (ms) => `Heartbeat nach ${ms} ms beantwortet`,
  noHeartbeat: 'Noch kein Heartbeat beantwortet',
  latency: 'Latenz',
  speed: 'Geschwindigkeit',
  pads: 'Touchfelder',
  padHint: 'Ziehen oder Pfeiltasten verwenden.',
  headPad: 'Kopf: Gieren und Nicken',
  bodyPad: 'Körper: Gieren; Kopf: Höhe',
  controls: 'Regler',
  center: 'Alles zentrieren',
  clamped: 'begrenzt',
  stopped: 'Gestoppt. Bewege einen Regler, um fortzufahren.',
  keys: 'Tastatur und Gamepad',
  keyMap:
    'Pfeile: Kopf gieren und nicken · A D: Körper gieren · W S: Höhe · Q E: Rollen · Z X: Antennen · Leertaste: STOPP',
  gamepad: (name) => `Gamepad: ${name}`,
  noGamepad: 'Kein Gamepad. Schließe eines an und drücke eine Taste.',
  gamepadMap:
    'Rechter Stick: Kopf · linker Stick: Körper und Höhe · Schultertasten: Rollen · Trigger: Antennen · B: STOPP',
  click: 'Klicke ins Bild, um dorthin zu schauen.',
  clickLater: 'Übernimm zuerst die Steuerung, dann klicke ins Bild, um dorthin zu schauen.',
  noCalibration: 'Der Server meldet keine Kamerakalibrierung.',
  notLive: 'Der Roboter ist nicht live. Es werden keine Ziele gesendet.',
  limited: {
    title: 'Von den Grenzen zurückgehalten',
    wanted: 'gewünscht',
    reached: 'erreicht',
    unreachable: 'keine Stellung der Beine erreicht es',
    unknown: 'eine Grenze',
    axis: (axis, cause) => `${axis}: ${cause}`,
    amounts: (wanted, reached) => `${wanted} → ${reached}`,
  },
};
