/** Shows the turns of a conversation: what was said, how it was taken, what was done, and what was not and why. */

import type { Turn } from '../net/conversation';
import { turns } from '../net/conversation';
import type { ToolReply } from '../protocol/responses';
import { messages } from '../i18n';
import { clampText } from './clamps';
import { Expectations } from './expectations';
import { MakeTool } from './make-tool';
import { path } from './route';
import { agentText, outcomeText, TaskView } from './turn-task';
import { Understood } from './understood';
import { WhyClamped, WhyNotDone } from './why';

export const Turns = () => (
  <>
    {turns.value.map((turn) => (
      <TurnView key={turn.id} turn={turn} />
    ))}
  </>
);

function TurnView({ turn }: { turn: Turn }) {
  const w = messages.value.talk;
  const { progress, end } = turn;
  const { tasks, reply, thinking, understood } = progress;
  const stepTexts = tasks.flatMap((task) => task.result?.text ?? []).join(' ');
  const moved = tasks
    .filter((task) => task.agent === 'robot_control' && task.state === 'done')
    .filter((task) => (task.result?.steps.length ?? 0) > 0);
  return (
    <>
      <p class="user-message">
        <span class="hidden">{w.you}: </span>
        {turn.message}
      </p>
      <div class="robot-reply">
        <span class="hidden">{w.robot}: </span>
        <Understood parts={understood} />
        <ol class="steps">
          {tasks.map((task, at) => (
            <TaskView key={at} task={task} />
          ))}
        </ol>
        {end === null && (
          <p class="note">{thinking === null ? w.working : w.thinking(agentText(thinking))} …</p>
        )}
        {reply && stepTexts !== reply.text && <p>{reply.text}</p>}
        {reply && <p class="note">{w.outcome(outcomeText(reply.outcome))}</p>}
        {reply && reply.outcome !== 'done' && (
          <WhyNotDone said={turn.message} outcome={reply.outcome} reason={reply.text} />
        )}
        {reply?.tool && <ToolMade tool={reply.tool} />}
        {reply && !reply.tool && moved.length > 0 && (
          <MakeTool tasks={moved.map(({ task }) => task)} />
        )}
        {progress.error && <p class="outcome is-bad">{progress.error}</p>}
        {end?.is === 'refused' && <p class="outcome is-bad">{w.rejected(end.detail)}</p>}
        {end?.is === 'gone' && <p class="outcome is-bad">{w.disconnected}</p>}
      </div>
    </>
  );
}

/** The tool that was made or run: what was assumed, and what was measured of the request. */
function ToolMade({ tool }: { tool: ToolReply }) {
  const w = messages.value;
  const { name, version, assumed = [], expectations = [], run } = tool;
  const clamps = run?.clamps ?? [];
  return (
    <>
      {assumed.map((text) => (
        <p key={text} class="note">
          {w.talk.assumed} {text}
        </p>
      ))}
      {clamps.map((clamp) => (
        <p key={`${clamp.what} ${clamp.cause}`} class="more">
          {clampText(clamp)}
        </p>
      ))}
      {clamps.length > 0 && <WhyClamped clamps={clamps} texts={clamps.map(clampText)} />}
      {expectations.length > 0 && (
        <>
          <h3>{w.tools.expectations.title}</h3>
          <Expectations all={expectations} />
        </>
      )}
      <p>
        {version === null ? name : w.talk.tool(name, version)}{' '}
        <a href={path('tools', name)}>{w.talk.openTool}</a>
      </p>
    </>
  );
}
