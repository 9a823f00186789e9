/** The texts of the health of the robot in English. */

import { plural } from './plural';

export const health = {
  noFaults: 'No faults.',
  controlLoop: 'Control loop',
  rate: 'Rate',
  jitter: 'Jitter',
  wakeupLatency: 'Wake-up latency',
  cycleTime: 'Cycle time',
  overruns: 'Overruns',
  cycles: 'Cycles',
  p50: 'p50',
  p99: 'p99',
  max: 'max',
  realtime: 'Real-time priority',
  memory: 'Memory locked',
  resetStatistics: 'Reset statistics',
  lastFault: 'Last fault',
  times: (n: number) => plural(n, 'time', 'times'),
  noFaultYet: 'None since startup.',
  doctor: 'Diagnostics',
  noDoctor:
    'This server does not run diagnostics over the network. Run "minismith doctor" on the robot.',
  runChecks: 'Run checks',
  remedy: 'How to fix',
  states: {
    good: 'OK',
    warn: 'warning',
    bad: 'failed',
  },
  version: 'Minismith version',
};

export type HealthTexts = typeof health;
