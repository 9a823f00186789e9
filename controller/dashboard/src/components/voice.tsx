/** The button that is held while one speaks, what was heard, and a light that shows where the robot is. */

import { isSame, light, type Note } from '../logic/voice';
import { NEEDS } from '../logic/roles';
import { allowed } from '../net/live';
import { press, release, voice } from '../net/voice';
import { words } from '../i18n';
import { Icon } from './icons';

export function Voice() {
  const w = words.value.talk.voice;
  const { held, partial, heard, means, note } = voice.value;
  const understood = isSame(heard, means) ? w.heard(heard) : `${w.heard(heard)} → ${means}`;
  const shown = light(voice.value);
  return (
    <div class="voice" role="group" aria-label={w.group}>
      <Hold />
      <span class={`light is-${shown}`} aria-hidden="true" />
      <span class="light-word" role="status">
        {w.states[shown]}
      </span>
      <p class="voice-heard" aria-live="polite">
        {partial !== '' ? `${partial} …` : heard !== '' ? understood : held ? '' : w.hint}
      </p>
      <p class="outcome is-bad" role="alert">
        {note === null ? '' : told(note)}
      </p>
    </div>
  );
}

function Hold() {
  const { common, roles, talk } = words.value;
  const w = talk.voice;
  const { held } = voice.value;
  const may = allowed('talk');
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    void press();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // A click would follow.
    event.preventDefault();
    if (event.type === 'keyup') release();
    else if (!event.repeat) void press();
  };
  // Whoever can only press, and not hold, presses twice: such a press comes from no pointer.
  const onClick = (event: MouseEvent) => {
    if (event.detail === 0) voice.value.held ? release() : void press();
  };
  return (
    <button
      type="button"
      class={`hold ${held ? 'is-held' : ''}`}
      aria-pressed={held}
      disabled={!may}
      title={may ? w.hint : common.needs(roles[NEEDS.talk])}
      onPointerDown={onPointerDown}
      onPointerUp={release}
      onPointerCancel={release}
      onLostPointerCapture={release}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={onKey}
      onKeyUp={onKey}
      onBlur={release}
      onClick={onClick}
    >
      <Icon name="voice" />
      <span>{w.hold}</span>
    </button>
  );
}

function told(note: Note): string {
  const w = words.value.talk.voice;
  switch (note.is) {
    case 'insecure':
      return w.insecure;
    case 'no_microphone':
      return w.noMicrophone;
    case 'denied':
      return w.denied;
    case 'nothing':
      return w.nothing;
    case 'refused':
      return w.refused(note.why);
    case 'gone':
      return note.why === '' ? w.gone : w.ended(note.why);
    case 'ignored':
      return w.ignored(note.why);
    case 'trouble':
      return w.trouble(note.why);
  }
}
