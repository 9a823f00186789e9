/** Lets the user speak through the robot's speaker while a button is held. */

import { useEffect } from 'preact/hooks';
import { REQUIRED_ROLE } from '../logic/roles';
import { isAllowed } from '../net/live';
import { beginTalk, endTalk, talkStatus, watchTalk } from '../net/speaker';
import { messages } from '../i18n';
import { Card } from './basics';
import { HoldButton } from './hold-button';

export function TalkThroughCard() {
  const { drive } = messages.value;
  const w = drive.talkThrough;
  useEffect(watchTalk, []);
  const status = talkStatus.value;
  const isError = status.is === 'refused' || status.is === 'no_microphone';
  return (
    <Card title={w.title} class="talk-through">
      <HoldToTalk />
      <p class={isError ? 'outcome is-bad' : 'note'} role={isError ? 'alert' : 'status'}>
        {statusText()}
      </p>
    </Card>
  );
}

function statusText(): string {
  const { drive, talk } = messages.value;
  const w = drive.talkThrough;
  const status = talkStatus.value;
  if (status.is === 'refused') return w.refused(status.reason);
  if (status.is === 'no_microphone') {
    if (status.notice === 'insecure') return talk.voice.insecure;
    return status.notice === 'denied' ? talk.voice.denied : talk.voice.noMicrophone;
  }
  if (status.is === 'opening') return w.opening;
  return status.is === 'talking' ? w.speak : w.hint;
}

function HoldToTalk() {
  const { common, drive, roles } = messages.value;
  const isHeld = talkStatus.value.is === 'opening' || talkStatus.value.is === 'talking';
  const permitted = isAllowed('talk');
  return (
    <HoldButton
      class="hold"
      isHeld={isHeld}
      disabled={!permitted}
      {...(permitted ? {} : { title: common.requiresRole(roles[REQUIRED_ROLE.talk]) })}
      onBegin={() => void beginTalk()}
      onEnd={endTalk}
    >
      {drive.talkThrough.hold}
    </HoldButton>
  );
}
