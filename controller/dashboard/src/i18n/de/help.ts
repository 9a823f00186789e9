/** The texts of what helps in German: reasons, diagnostics and the tour. */

import type { HelpTexts } from '../en/help';
import { plural } from './plural';

export const help: HelpTexts = {
  why: {
    why: 'Warum?',
    rule: 'Regel',
    measurement: 'Messung',
    limit: 'Geltende Grenze',
    advice: 'Was hilft',
    source: 'Quelle',
    good: 'Angenommen',
    bad: 'Abgelehnt',
    byRehearsal:
      'Das wird im Probelauf am simulierten Roboter gemessen; keine Regel für den Code sagt es.',
    line: (n) => `Zeile ${n} des Codes`,
    ranges: (pitch, roll, yaw) =>
      `Kopf nicken ±${pitch}°, Kopf neigen ±${roll}°, Kopf gegen Körper drehen ±${yaw}°`,
    positions: (name, min, max) => `${name}: ${min}° bis ${max}°`,
    velocity: (name, max) => `${name}: höchstens ${max}°/s`,
    acceleration: (name, max) => `${name}: höchstens ${max}°/s²`,
    envelope:
      'Die Sicherheitshülle, der letzte Schritt vor den Motoren. Sie gilt für alles, was den Roboter bewegt.',
    outcomes: {
      refused: 'Die Bitte wurde verstanden und übersteigt, was der Roboter kann oder darf.',
      not_understood:
        'Kein Teil des Programms kann mit diesen Worten etwas anfangen. Nichts wurde getan.',
      failed: 'Die Bitte wurde begonnen und endete nicht, wie sie sollte.',
      stopped: 'Ein Halt hat sie beendet. Ein Halt bricht alles ab, was davor verlangt wurde.',
    },
    journal: 'Alles dazu im Journal',
    motorNow: (name) => `${name} jetzt`,
    policy: 'Reaktion',
    times: (n) => plural(n, 'Mal seit dem Start', 'Male seit dem Start'),
  },
  doctor: {
    title: 'Diagnose',
    open: 'Diagnose mit Abhilfe',
    back: 'Zustand',
    running: 'Roboter und Rechner werden untersucht',
    summary: (bad, warn, good) =>
      `${bad} fehlgeschlagen, ${plural(warn, 'Warnung', 'Warnungen')}, ${good} in Ordnung`,
    nothing: 'Nichts zu beheben.',
    toFix: 'Zu beheben',
    fine: (n) => `${plural(n, 'Prüfung', 'Prüfungen')} ohne Befund`,
    copy: 'Befehl kopieren',
    copied: 'Kopiert.',
  },
  tour: {
    offer: 'Neu hier? In fünf Minuten machst du am simulierten Roboter dein eigenes Werkzeug.',
    start: 'Tour beginnen',
    dismiss: 'Nein, danke',
    title: 'Tour',
    progress: (at, of) => `Schritt ${at} von ${of}`,
    next: 'Weiter',
    back: 'Zurück',
    skip: 'Schritt überspringen',
    end: 'Tour beenden',
    go: 'Dorthin',
    sayIt: (sentence) => `„${sentence}“ für mich sagen`,
    steps: {
      look: 'Das ist der Roboter, wie er jetzt ist. Zieh am Bild, um ihn von allen Seiten zu sehen. STOP oder die Leertaste hält ihn immer an: Probier es einmal.',
      say: 'Sag dem Roboter, was er tun soll. Schreib „nod twice, then look left 20 degrees“ und drück die Eingabetaste.',
      make: 'Neben jedem Teil des Satzes steht, wofür er genommen wurde. Drück darunter „Werkzeug daraus machen“, wähle einen Namen und drück die Eingabetaste.',
      check: (name) =>
        `Dein Werkzeug ${name} hat die Richtlinie, den Probelauf und die Durchsicht bestanden. Lies hier den Code und die Messwerte, und drück „Probelauf starten“, um es ohne Bewegung des Roboters zu sehen.`,
      run: (name) =>
        `Drück jetzt „Ausführen“: Der Roboter tut, was ${name} sagt, mit halber Geschwindigkeit, bis es freigegeben ist.`,
      done: (name) =>
        `${name} ist dein eigenes Werkzeug. „Neue Version schreiben“ öffnet es im Editor; bei „Freigeben“ steht, was volle Geschwindigkeit erlaubt.`,
    },
  },
  empty: {
    clearFilter: 'Filter löschen',
    journalHint:
      'Hier erscheinen Anfragen, Bewegungen, Werkzeuge und Störungen, sobald sie geschehen.',
    sessionsHint: 'Gib im Gespräch bei „Sitzung“ einen Namen ein, um es hier zu speichern.',
    turnsHint: 'Schreib unten einen Satz, halte die Taste zum Sprechen, oder wähle ein Beispiel.',
  },
};
