/** The texts of teleoperation in French. */

import type { DriveTexts } from '../en/drive';

export const drive: DriveTexts = {
  takeControl: 'Prendre le contrôle',
  takeOver: 'Prendre le relais',
  release: 'Rendre le contrôle',
  requesting: 'Demande en cours',
  inControl: 'Vous avez le contrôle',
  free: 'Personne n’a le contrôle.',
  others: (owner, purpose) => `${owner} a le contrôle (${purpose}).`,
  purpose: 'tableau de bord',
  lost: {
    refused: 'La demande a été refusée.',
    ended: 'Le contrôle a pris fin. Le robot maintient sa position.',
    timed_out: 'Délai dépassé : le robot ne répond pas.',
    closed: 'La connexion a été fermée. Le robot maintient sa position.',
  },
  heartbeat: (ms) => `Heartbeat confirmé en ${ms} ms`,
  noHeartbeat: 'Aucun heartbeat confirmé',
  latency: 'Latence',
  speed: 'Vitesse',
  pads: 'Pavés tactiles',
  padHint: 'Faites glisser ou utilisez les flèches.',
  headPad: 'Tête : lacet et tangage',
  bodyPad: 'Corps : lacet ; tête : hauteur',
  controls: 'Commandes',
  center: 'Tout centrer',
  clamped: 'limité',
  stopped: 'Arrêté. Bougez une commande pour reprendre.',
  keys: 'Clavier et manette',
  keyMap:
    'Flèches : lacet et tangage · A D : lacet du corps · W S : hauteur · Q E : roulis · Z X : antennes · Espace : STOP',
  gamepad: (name) => `Manette : ${name}`,
  noGamepad: 'Pas de manette. Branchez-en une et appuyez sur un bouton.',
  gamepadMap:
    'Stick droit : tête · stick gauche : corps et hauteur · boutons latéraux : roulis · gâchettes : antennes · B : STOP',
  click: 'Cliquez dans l’image pour regarder ce point.',
  clickLater: 'Prenez d’abord le contrôle, puis cliquez dans l’image pour regarder un point.',
  noCalibration: 'Le serveur ne fournit pas l’étalonnage de la caméra.',
  notLive: 'Le robot n’est pas en direct. Aucune cible n’est envoyée.',
  limited: {
    title: 'Retenu par les limites',
    wanted: 'voulu',
    reached: 'atteint',
    unreachable: 'aucune position des jambes n’y arrive',
    unknown: 'une limite',
    axis: (axis, cause) => `${axis} : ${cause}`,
    amounts: (wanted, reached) => `${wanted} → ${reached}`,
  },
};
