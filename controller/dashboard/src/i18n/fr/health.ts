/** The texts of the health of the robot in French. */

import type { HealthTexts } from '../en/health';

export const health: HealthTexts = {
  noFaults: 'Aucun défaut.',
  controlLoop: 'Boucle de contrôle',
  rate: 'Fréquence',
  jitter: 'Gigue',
  wakeupLatency: 'Latence de réveil',
  cycleTime: 'Temps de cycle',
  overruns: 'Dépassements',
  cycles: 'Cycles',
  p50: 'p50',
  p99: 'p99',
  max: 'max',
  realtime: 'Priorité temps réel',
  memory: 'Mémoire verrouillée',
  resetStatistics: 'Réinitialiser les statistiques',
  lastFault: 'Dernier défaut',
  times: (n) => `${n} fois`,
  noFaultYet: 'Aucun depuis le démarrage.',
  doctor: 'Diagnostic',
  noDoctor:
    'Ce serveur n’exécute pas de diagnostic par le réseau. Lancez « minismith doctor » sur le robot.',
  runChecks: 'Lancer les vérifications',
  remedy: 'Solution',
  states: {
    good: 'OK',
    warn: 'avertissement',
    bad: 'échec',
  },
  version: 'Version de Minismith',
};
