/** The texts of what helps in Spanish: reasons, diagnostics and the tour. */

import type { HelpTexts } from '../en/help';
import { plural } from './plural';

export const help: HelpTexts = {
  why: {
    why: '¿Por qué?',
    rule: 'Regla',
    measurement: 'Medición',
    limit: 'Límite vigente',
    advice: 'Qué hacer',
    source: 'Origen',
    good: 'Aceptado',
    bad: 'Rechazado',
    byRehearsal:
      'Esto se mide en el ensayo con el robot simulado; ninguna regla del código lo dice.',
    line: (n) => `línea ${n} del código`,
    ranges: (pitch, roll, yaw) =>
      `cabeceo ±${pitch}°, alabeo ±${roll}°, guiñada de la cabeza respecto al cuerpo ±${yaw}°`,
    positions: (name, min, max) => `${name}: de ${min}° a ${max}°`,
    velocity: (name, max) => `${name}: como máximo ${max}°/s`,
    acceleration: (name, max) => `${name}: como máximo ${max}°/s²`,
    envelope:
      'La envolvente de seguridad, el último paso antes de los motores. Vale para todo lo que mueve el robot.',
    outcomes: {
      refused: 'La petición se entendió y supera lo que el robot puede o debe hacer.',
      not_understood:
        'Ninguna parte del programa sabe qué hacer con estas palabras. No se hizo nada.',
      failed: 'La petición empezó y no terminó como debía.',
      stopped: 'Una parada la terminó. Una parada cancela todo lo pedido antes.',
    },
    journal: 'Todo sobre esto en el registro',
    motorNow: (name) => `${name} ahora`,
    policy: 'Reacción',
    times: (n) => plural(n, 'vez desde el inicio', 'veces desde el inicio'),
  },
  doctor: {
    title: 'Diagnóstico',
    open: 'Diagnóstico con soluciones',
    back: 'Estado',
    running: 'Examinando el robot y este ordenador',
    summary: (bad, warn, good) =>
      `${plural(bad, 'fallo', 'fallos')}, ${plural(warn, 'aviso', 'avisos')}, ${good} correctos`,
    nothing: 'Nada que corregir.',
    toFix: 'Por corregir',
    fine: (n) => `${plural(n, 'comprobación', 'comprobaciones')} sin hallazgos`,
    copy: 'Copiar la orden',
    copied: 'Copiado.',
  },
  tour: {
    offer: '¿Es nuevo aquí? En cinco minutos crea su propia herramienta con el robot simulado.',
    start: 'Empezar el recorrido',
    dismiss: 'No, gracias',
    title: 'Recorrido',
    progress: (at, of) => `Paso ${at} de ${of}`,
    next: 'Siguiente',
    back: 'Atrás',
    skip: 'Saltar este paso',
    end: 'Terminar el recorrido',
    go: 'Ir allí',
    sayIt: (sentence) => `Decir por mí «${sentence}»`,
    steps: {
      look: 'Este es el robot tal como está ahora. Arrastre la imagen para verlo por todos lados. STOP, o la barra espaciadora, siempre lo detiene: pruébelo una vez.',
      say: 'Diga al robot qué hacer. Escriba «nod twice, then look left 20 degrees» y pulse Intro.',
      make: 'Junto a cada parte de la frase está lo que significa. Pulse debajo «Convertirlo en herramienta», elija un nombre y pulse Intro.',
      check: (name) =>
        `Su herramienta ${name} superó las reglas, el ensayo y la revisión. Lea aquí su código y sus mediciones, y pulse «Ensayar» para verla sin mover el robot.`,
      run: (name) =>
        `Pulse ahora «Ejecutar»: el robot hace lo que dice ${name}, a media velocidad hasta que se apruebe.`,
      done: (name) =>
        `${name} es su propia herramienta. «Escribir una nueva versión» la abre en el editor; «Aprobar» dice qué concede la velocidad completa.`,
    },
  },
  empty: {
    clearFilter: 'Borrar el filtro',
    journalHint:
      'Aquí aparecen peticiones, movimientos, herramientas y fallos a medida que ocurren.',
    sessionsHint: 'Escriba un nombre en «Sesión» en la conversación para guardarla aquí.',
    turnsHint: 'Escriba una frase abajo, mantenga el botón para hablar o elija un ejemplo.',
  },
};
