/** Makes a tool of the motions of a finished turn. */

import { useState } from 'preact/hooks';
import { toolName } from '../logic/turn-progress';
import { busy, submitMessage } from '../net/conversation';
import { messages } from '../i18n';
import { RoleButton } from './basics';

/** `tasks` are the motions in the robot's own words, which it understands in any language of the page. */
export function MakeTool({ tasks }: { tasks: string[] }) {
  const w = messages.value.talk.makeTool;
  const [name, setName] = useState<string | null>(null);
  if (name === null) {
    return (
      <p>
        <RoleButton
          action="talk"
          disabled={busy.value}
          onClick={() => setName(toolName(tasks.join(' ')))}
        >
          {w.open}
        </RoleButton>
      </p>
    );
  }
  const make = (event: Event) => {
    event.preventDefault();
    if (name === '' || busy.value) return;
    setName(null);
    void submitMessage(`make a tool called ${name}: ${tasks.join(', then ')}`);
  };
  return (
    <form class="row make-tool" onSubmit={make}>
      <label>
        {w.name}
        <input
          ref={(input) => input?.focus()}
          type="text"
          autocomplete="off"
          pattern="[a-z][a-z0-9_]*"
          maxLength={40}
          required
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <RoleButton action="talk" type="submit" class="primary" disabled={busy.value}>
        {w.make}
      </RoleButton>
      <button type="button" onClick={() => setName(null)}>
        {messages.value.common.close}
      </button>
    </form>
  );
}
