/** The texts of teleoperation in Spanish. */

import type { DriveTexts } from '../en/drive';

export const drive: DriveTexts = {
  takeControl: 'Tomar el control',
  takeOver: 'Relevar al operador',
  release: 'Ceder el control',
  requesting: 'Solicitando',
  inControl: 'Usted tiene el control',
  free: 'Nadie tiene el control.',
  others: (owner, purpose) => `${owner} tiene el control (${purpose}).`,
  purpose: 'panel',
  lost: {
    refused: 'Se rechazó la solicitud.',
    ended: 'El control terminó. El robot mantiene su posición.',
    timed_out: 'Se agotó el tiempo de espera: el robot no responde.',
    closed: 'La conexión se cerró. El robot mantiene su posición.',
  },
  heartbeat: (ms) => `Latido respondido en ${ms} ms`,
  noHeartbeat: 'Aún sin respuesta al latido',
  latency: 'Latencia',
  speed: 'Velocidad',
  pads: 'Paneles táctiles',
  padHint: 'Arrastre o use las teclas de flecha.',
  headPad: 'Cabeza: guiñada y cabeceo',
  bodyPad: 'Cuerpo: guiñada; cabeza: altura',
  controls: 'Controles',
  center: 'Centrar todo',
  clamped: 'limitado',
  stopped: 'Detenido. Mueva un control para continuar.',
  keys: 'Teclado y mando',
  keyMap:
    'Flechas: guiñada y cabeceo · A D: guiñada del cuerpo · W S: altura · Q E: alabeo · Z X: antenas · Espacio: STOP',
  gamepad: (name) => `Mando: ${name}`,
  noGamepad: 'No hay mando. Conecte uno y pulse un botón.',
  gamepadMap:
    'Joystick derecho: cabeza · izquierdo: cuerpo y altura · botones superiores: alabeo · gatillos: antenas · B: STOP',
  click: 'Haga clic en la imagen para mirar a ese punto.',
  clickLater: 'Tome primero el control y luego haga clic en la imagen para mirar a un punto.',
  noCalibration: 'El servidor no informa de la calibración de la cámara.',
  notLive: 'El robot no está en vivo. No se envían objetivos.',
  limited: {
    title: 'Retenido por los límites',
    wanted: 'deseado',
    reached: 'alcanzado',
    unreachable: 'ninguna posición de las patas lo alcanza',
    unknown: 'un límite',
    axis: (axis, cause) => `${axis}: ${cause}`,
    amounts: (wanted, reached) => `${wanted} → ${reached}`,
  },
};
