/** The push-to-talk button, the transcript and an indicator of the robot's state. */

import { sameWords, indicatorOf, type VoiceNotice } from '../logic/voice';
import { REQUIRED_ROLE } from '../logic/roles';
import { isAllowed } from '../net/live';
import { startTalking, stopTalking, voice } from '../net/voice';
import { messages } from '../i18n';
import { HoldButton } from './hold-button';
import { Icon } from './icons';

export function Voice() {
  const w = messages.value.talk.voice;
  const { isHeld, partial, transcript, interpretation, notice: note } = voice.value;
  const transcriptText = sameWords(transcript, interpretation)
    ? w.transcript(transcript)
    : `${w.transcript(transcript)} → ${interpretation}`;
  const indicator = indicatorOf(voice.value);
  return (
    <div class="voice" role="group" aria-label={w.group}>
      <TalkButton />
      <span class={`light is-${indicator}`} aria-hidden="true" />
      <span class="light-word" role="status">
        {w.states[indicator]}
      </span>
      <p class="voice-transcript" aria-live="polite">
        {partial !== ''
          ? `${partial} …`
          : transcript !== ''
            ? transcriptText
            : isHeld
              ? ''
              : w.hint}
      </p>
      <p class="outcome is-bad" role="alert">
        {note === null ? '' : noticeText(note)}
      </p>
    </div>
  );
}

function TalkButton() {
  const { common, roles, talk } = messages.value;
  const w = talk.voice;
  const { isHeld } = voice.value;
  const permitted = isAllowed('talk');
  // Users of assistive technology may be unable to hold a button. Their click comes without a pointer and toggles.
  const onClick = (event: MouseEvent) => {
    if (event.detail === 0) voice.value.isHeld ? stopTalking() : void startTalking();
  };
  return (
    <HoldButton
      class="hold"
      isHeld={isHeld}
      disabled={!permitted}
      title={permitted ? w.hint : common.requiresRole(roles[REQUIRED_ROLE.talk])}
      onBegin={() => void startTalking()}
      onEnd={stopTalking}
      onClick={onClick}
    >
      <Icon name="voice" />
      <span>{w.hold}</span>
    </HoldButton>
  );
}

function noticeText(note: VoiceNotice): string {
  const w = messages.value.talk.voice;
  switch (note.is) {
    case 'insecure':
      return w.insecure;
    case 'no_microphone':
      return w.noMicrophone;
    case 'denied':
      return w.denied;
    case 'no_speech':
      return w.noSpeech;
    case 'refused':
      return w.unavailable(note.reason);
    case 'gone':
      return note.reason === '' ? w.disconnected : w.closed(note.reason);
    case 'ignored':
      return w.ignored(note.reason);
    case 'error':
      return w.error(note.reason);
  }
}
