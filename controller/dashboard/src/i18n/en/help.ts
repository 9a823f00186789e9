/** The texts of what helps in English: reasons, diagnostics and the tour. */

import { plural } from './plural';

export const help = {
  why: {
    why: 'Why?',
    rule: 'Rule',
    measurement: 'Measurement',
    limit: 'Limit in force',
    advice: 'What to do',
    source: 'Source',
    good: 'Accepted',
    bad: 'Rejected',
    byRehearsal:
      'This is measured in the rehearsal on the simulated robot; no rule of the code says it.',
    line: (n: number) => `line ${n} of the code`,
    ranges: (pitch: string, roll: string, yaw: string) =>
      `head pitch ±${pitch}°, head roll ±${roll}°, head yaw against the body ±${yaw}°`,
    positions: (name: string, min: string, max: string) => `${name}: ${min}° to ${max}°`,
    velocity: (name: string, max: string) => `${name}: at most ${max}°/s`,
    acceleration: (name: string, max: string) => `${name}: at most ${max}°/s²`,
    envelope:
      'The safety envelope, the last step before the motors. It applies to everything that moves the robot.',
    outcomes: {
      refused: 'The request was understood, and it is beyond what the robot can or may do.',
      not_understood: 'No part of the program knows what to do with these words. Nothing was done.',
      failed: 'The request began and did not end as it should.',
      stopped: 'A stop ended it. A stop cancels everything that was requested before it.',
    } as Record<string, string>,
    journal: 'Everything about it in the journal',
    motorNow: (name: string) => `${name} now`,
    policy: 'Reaction',
    times: (n: number) => plural(n, 'time since startup', 'times since startup'),
  },
  doctor: {
    title: 'Diagnostics',
    open: 'Diagnostics with remedies',
    back: 'Health',
    running: 'Examining the robot and this computer',
    summary: (bad: number, warn: number, good: number) =>
      `${bad} failed, ${plural(warn, 'warning', 'warnings')}, ${good} OK`,
    nothing: 'Nothing to fix.',
    toFix: 'To fix',
    fine: (n: number) => `${plural(n, 'check', 'checks')} without findings`,
    copy: 'Copy the command',
    copied: 'Copied.',
  },
  tour: {
    offer: 'New here? In five minutes, you make your own tool on the simulated robot.',
    start: 'Start the tour',
    dismiss: 'No, thanks',
    title: 'Tour',
    progress: (at: number, of: number) => `Step ${at} of ${of}`,
    next: 'Next',
    back: 'Back',
    skip: 'Skip this step',
    end: 'End the tour',
    go: 'Go there',
    sayIt: (sentence: string) => `Say “${sentence}” for me`,
    steps: {
      look: 'This is the robot as it is now. Drag the picture to look around. STOP, or the space bar, always stops it: try it once.',
      say: 'Tell the robot what to do. Write “nod twice, then look left 20 degrees”, and press Enter.',
      make: 'Each part of the sentence stands next to what it was taken for. Press “Make it a tool” below it, choose a name, and press Enter.',
      check: (name: string) =>
        `Your tool ${name} passed the policy, its rehearsal and the review. Read its code and its measurements here, then press “Rehearse” to see it without moving the robot.`,
      run: (name: string) =>
        `Now press “Run”: the robot does what ${name} says, at half speed until it is approved.`,
      done: (name: string) =>
        `${name} is your own tool. “Write a new version” opens it in the editor; “Approve” says what full speed grants.`,
    },
  },
  empty: {
    clearFilter: 'Clear the filter',
    journalHint: 'Requests, motions, tools and faults are listed here as they happen.',
    sessionsHint: 'Enter a name at “Session” in the conversation to save it here.',
    turnsHint: 'Write a sentence below, hold the button to talk, or choose an example.',
  },
};

export type HelpTexts = typeof help;
