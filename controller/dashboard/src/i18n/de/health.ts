/** The texts of the health of the robot in German. */

import type { HealthTexts } from '../en/health';

export const health: HealthTexts = {
  noFaults: 'Keine Störungen.',
  controlLoop: 'Regelschleife',
  rate: 'Frequenz',
  jitter: 'Jitter',
  wakeupLatency: 'Aufwachlatenz',
  cycleTime: 'Zykluszeit',
  overruns: 'Zeitüberschreitungen',
  cycles: 'Zyklen',
  p50: 'p50',
  p99: 'p99',
  max: 'max',
  realtime: 'Echtzeitpriorität',
  memory: 'Speicher gesperrt',
  resetStatistics: 'Statistik zurücksetzen',
  lastFault: 'Letzte Störung',
  times: (n) => `${n}-mal`,
  noFaultYet: 'Keine seit dem Start.',
  doctor: 'Diagnose',
  noDoctor:
    'Dieser Server führt über das Netzwerk keine Diagnose aus. Führe auf dem Roboter „minismith doctor“ aus.',
  runChecks: 'Prüfungen starten',
  remedy: 'Abhilfe',
  states: {
    good: 'OK',
    warn: 'Warnung',
    bad: 'Fehler',
  },
  version: 'Minismith-Version',
};
