/** The texts of the health of the robot in Spanish. */

import { plural } from './plural';
import type { HealthTexts } from '../en/health';

export const health: HealthTexts = {
  noFaults: 'Sin fallos.',
  controlLoop: 'Bucle de control',
  rate: 'Frecuencia',
  jitter: 'Jitter',
  wakeupLatency: 'Latencia de activación',
  cycleTime: 'Tiempo de ciclo',
  overruns: 'Ciclos excedidos',
  cycles: 'Ciclos',
  p50: 'p50',
  p99: 'p99',
  max: 'máx.',
  realtime: 'Prioridad de tiempo real',
  memory: 'Memoria bloqueada',
  resetStatistics: 'Restablecer estadísticas',
  lastFault: 'Último fallo',
  times: (n) => plural(n, 'vez', 'veces'),
  noFaultYet: 'Ninguno desde el inicio.',
  doctor: 'Diagnóstico',
  noDoctor:
    'Este servidor no ejecuta diagnósticos por la red. Ejecute «minismith doctor» en el robot.',
  runChecks: 'Ejecutar comprobaciones',
  remedy: 'Solución',
  states: {
    good: 'correcto',
    warn: 'advertencia',
    bad: 'fallo',
  },
  version: 'Versión de Minismith',
};
