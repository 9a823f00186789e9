/** The editor for a new tool. The server checks the code as the user types; accepted code can be added. */

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { CodeEditor } from '../editor/code-editor';
import { isAllowed } from '../net/live';
import { post, type Result } from '../net/http';
import { robotSignal } from '../net/robots';
import { CHECK } from '../protocol/compat';
import type { CheckResult } from '../protocol/responses';
import { messages } from '../i18n';
import { Findings } from './findings';
import { ReplayView } from './replay';
import { ReportPlots } from './report';
import { go, path } from './route';
import { Card, RoleButton, NeedsRole, Outcome } from './basics';

/** The pause in typing after which the code is checked, milliseconds. */
const CHECK_DELAY_MS = 700;

const TEMPLATE = `from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def peek(robot: ReachyMini, degrees: float = 15.0) -> str:
    """Look to the left and back.

    Args:
        robot: The robot.
        degrees: How far to look, between 5 and 30.

    Returns:
        What was done.
    """
    robot.goto_target(head=create_head_pose(yaw=degrees), duration=0.8)
    robot.goto_target(head=create_head_pose(), duration=0.8)
    return f"looked {degrees} degrees to the left"
`;

/** The draft is kept as long as the page is open. */
const code = signal(TEMPLATE);

/** Opens the editor with the code of an existing tool. */
export function editCopy(text: string): void {
  code.value = text;
  go('tools', '+');
}

/** Whether the server is too old to return the motion with a check. */
const lacksMotion = robotSignal(false);

async function checkCode(code: string, signal: AbortSignal): Promise<Result<CheckResult>> {
  const ask = (body: object) =>
    post<CheckResult>('/api/v1/tools/check', body, { signal, shape: CHECK });
  if (lacksMotion.value) return ask({ code });
  const answer = await ask({ code, motion: true });
  if (answer.ok || answer.status !== 422 || signal.aborted) return answer;
  // Older servers reject the field `motion`.
  const plain = await ask({ code });
  lacksMotion.value = plain.ok;
  return plain;
}

export function NewTool({ onAdded }: { onAdded: () => void }) {
  const w = messages.value.tools;
  const [checked, setChecked] = useState<CheckResult | null>(null);
  const [state, setState] = useState({ text: '', bad: false });
  const [line, setLine] = useState<{ number: number } | null>(null);
  const [adding, setAdding] = useState(false);
  const [initialCode] = useState(() => code.value);
  const canCheck = isAllowed('check');
  const currentCode = code.value;
  useEffect(() => {
    if (!canCheck) return;
    const ending = new AbortController();
    const timer = setTimeout(() => void check(ending.signal), CHECK_DELAY_MS);
    const check = async (signal: AbortSignal) => {
      setState({ text: `${w.checking} …`, bad: false });
      const answer = await checkCode(currentCode, signal);
      // A newer edit has started its own check.
      if (signal.aborted) return;
      setChecked(answer.ok ? answer.value : null);
      if (!answer.ok) setState({ text: answer.detail, bad: true });
      else if (answer.value.accepted) setState({ text: w.accepted, bad: false });
      else
        setState({
          text: w.rejectedBy(w.phases[answer.value.phase] ?? answer.value.phase),
          bad: true,
        });
    };
    return () => (clearTimeout(timer), ending.abort());
  }, [currentCode, canCheck]);
  const add = async () => {
    setAdding(true);
    const answer = await post<{
      registered: { name: string; version: number } | null;
      checked: CheckResult;
    }>('/api/v1/tools', { code: code.value });
    setAdding(false);
    const added = answer.ok ? answer.value.registered : null;
    if (!answer.ok) setState({ text: answer.detail, bad: true });
    else if (added) {
      onAdded();
      go('tools', added.name);
    }
  };
  return (
    <div class="view">
      <p class="back">
        <a href={path('tools')}>← {w.list}</a>
      </p>
      <Card
        title={w.newTool}
        aside={
          <RoleButton
            action="add"
            class="primary"
            disabled={adding || !(checked?.accepted ?? false)}
            onClick={() => void add()}
          >
            {adding ? `${w.adding} …` : w.add}
          </RoleButton>
        }
      >
        <NeedsRole action="check" />
        <Outcome text={state.text || w.unchecked} bad={state.bad} />
        <CodeEditor
          text={initialCode}
          label={w.editor}
          findings={checked?.findings ?? NO_FINDINGS}
          onChange={(text) => (code.value = text)}
          line={line}
        />
        <h3>{w.findings}</h3>
        <Findings all={checked?.findings ?? NO_FINDINGS} onLine={(number) => setLine({ number })} />
      </Card>
      {checked?.motion && checked.motion.cycles.length > 0 && (
        <Card title={messages.value.replay.title}>
          <ReplayView replay={checked.motion} />
        </Card>
      )}
      {checked?.report && (
        <Card title={w.report}>
          <ReportPlots report={checked.report} />
        </Card>
      )}
    </div>
  );
}

const NO_FINDINGS: CheckResult['findings'] = [];
