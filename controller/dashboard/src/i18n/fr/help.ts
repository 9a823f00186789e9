/** The texts of what helps in French: reasons, diagnostics and the tour. */

import type { HelpTexts } from '../en/help';
import { plural } from './plural';

export const help: HelpTexts = {
  why: {
    why: 'Pourquoi ?',
    rule: 'Règle',
    measurement: 'Mesure',
    limit: 'Limite en vigueur',
    advice: 'Que faire',
    source: 'Source',
    good: 'Accepté',
    bad: 'Refusé',
    byRehearsal:
      'Ceci est mesuré pendant la répétition sur le robot simulé ; aucune règle du code ne le dit.',
    line: (n) => `ligne ${n} du code`,
    ranges: (pitch, roll, yaw) =>
      `tangage de la tête ±${pitch}°, roulis ±${roll}°, lacet par rapport au corps ±${yaw}°`,
    positions: (name, min, max) => `${name} : ${min}° à ${max}°`,
    velocity: (name, max) => `${name} : ${max}°/s au plus`,
    acceleration: (name, max) => `${name} : ${max}°/s² au plus`,
    envelope:
      'L’enveloppe de sécurité, dernière étape avant les moteurs. Elle vaut pour tout ce qui bouge le robot.',
    outcomes: {
      refused: 'La demande a été comprise et dépasse ce que le robot peut ou a le droit de faire.',
      not_understood:
        'Aucune partie du programme ne sait que faire de ces mots. Rien n’a été fait.',
      failed: 'La demande a commencé et ne s’est pas terminée comme prévu.',
      stopped: 'Un arrêt y a mis fin. Un arrêt annule tout ce qui a été demandé auparavant.',
    },
    journal: 'Tout à ce sujet dans le journal',
    motorNow: (name) => `${name} maintenant`,
    policy: 'Réaction',
    times: (n) => plural(n, 'fois depuis le démarrage', 'fois depuis le démarrage'),
  },
  doctor: {
    title: 'Diagnostic',
    open: 'Diagnostic et remèdes',
    back: 'État',
    running: 'Examen du robot et de cet ordinateur',
    summary: (bad, warn, good) =>
      `${plural(bad, 'échec', 'échecs')}, ${plural(warn, 'avertissement', 'avertissements')}, ${good} OK`,
    nothing: 'Rien à corriger.',
    toFix: 'À corriger',
    fine: (n) => `${plural(n, 'contrôle', 'contrôles')} sans constat`,
    copy: 'Copier la commande',
    copied: 'Copié.',
  },
  tour: {
    offer: 'Nouveau ici ? En cinq minutes, vous créez votre propre outil sur le robot simulé.',
    start: 'Commencer la visite',
    dismiss: 'Non, merci',
    title: 'Visite',
    progress: (at, of) => `Étape ${at} sur ${of}`,
    next: 'Suivant',
    back: 'Retour',
    skip: 'Passer cette étape',
    end: 'Terminer la visite',
    go: 'Y aller',
    sayIt: (sentence) => `Dire pour moi « ${sentence} »`,
    steps: {
      look: 'Voici le robot tel qu’il est maintenant. Faites glisser l’image pour le voir de tous côtés. STOP, ou la barre d’espace, l’arrête toujours : essayez une fois.',
      say: 'Dites au robot quoi faire. Écrivez « nod twice, then look left 20 degrees » et appuyez sur Entrée.',
      make: 'À côté de chaque partie de la phrase figure ce qu’elle signifie. Appuyez dessous sur « En faire un outil », choisissez un nom et appuyez sur Entrée.',
      check: (name) =>
        `Votre outil ${name} a passé les règles, sa répétition et la revue. Lisez ici son code et ses mesures, puis appuyez sur « Répéter » pour le voir sans bouger le robot.`,
      run: (name) =>
        `Appuyez maintenant sur « Exécuter » : le robot fait ce que dit ${name}, à mi-vitesse jusqu’à l’approbation.`,
      done: (name) =>
        `${name} est votre propre outil. « Écrire une nouvelle version » l’ouvre dans l’éditeur ; « Approuver » dit ce que la pleine vitesse accorde.`,
    },
  },
  empty: {
    clearFilter: 'Effacer le filtre',
    journalHint: 'Les demandes, mouvements, outils et défauts apparaissent ici au fur et à mesure.',
    sessionsHint: 'Saisissez un nom à « Session » dans la conversation pour l’enregistrer ici.',
    turnsHint:
      'Écrivez une phrase ci-dessous, maintenez le bouton pour parler, ou choisissez un exemple.',
  },
};
