/** A new tool: it is checked while it is written, and added when it passes. */

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { Code } from '../editor/code-editor';
import { allowed } from '../net/live';
import { post, type Answer } from '../net/http';
import { ofRobot } from '../net/robots';
import type { Checked } from '../protocol/responses';
import { words } from '../i18n';
import { Findings } from './findings';
import { ReplayView } from './replay';
import { ReportPlots } from './report';
import { go, path } from './route';
import { Card, DeedButton, NeedsRole, Outcome } from './basics';

/** How long nothing is written before it is checked, milliseconds. */
const PAUSE_MS = 700;

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

/** What is written stays while the page does. */
const code = signal(TEMPLATE);

/** Goes on with the code of a tool that is there. */
export function editCopy(text: string): void {
  code.value = text;
  go('tools', '+');
}

/** Whether the server knows of no motion beside a check. */
const isPlain = ofRobot(false);

async function examined(code: string, signal: AbortSignal): Promise<Answer<Checked>> {
  const ask = (body: object) => post<Checked>('/api/v1/tools/check', body, { signal });
  if (isPlain.value) return ask({ code });
  const answer = await ask({ code, motion: true });
  if (answer.ok || answer.status !== 422 || signal.aborted) return answer;
  // A server of before takes no such field.
  const plain = await ask({ code });
  isPlain.value = plain.ok;
  return plain;
}

export function NewTool({ onAdded }: { onAdded: () => void }) {
  const w = words.value.tools;
  const [checked, setChecked] = useState<Checked | null>(null);
  const [state, setState] = useState({ text: '', bad: false });
  const [line, setLine] = useState<{ number: number } | null>(null);
  const [adding, setAdding] = useState(false);
  const [begun] = useState(() => code.value);
  const mayCheck = allowed('check');
  const written = code.value;
  useEffect(() => {
    if (!mayCheck) return;
    const ending = new AbortController();
    const timer = setTimeout(() => void check(ending.signal), PAUSE_MS);
    const check = async (signal: AbortSignal) => {
      setState({ text: `${w.checking} …`, bad: false });
      const answer = await examined(written, signal);
      // What was written meanwhile is checked anew.
      if (signal.aborted) return;
      setChecked(answer.ok ? answer.value : null);
      if (!answer.ok) setState({ text: answer.detail, bad: true });
      else if (answer.value.admitted) setState({ text: w.admitted, bad: false });
      else
        setState({
          text: w.refusedBy(w.stages[answer.value.stage] ?? answer.value.stage),
          bad: true,
        });
    };
    return () => (clearTimeout(timer), ending.abort());
  }, [written, mayCheck]);
  const add = async () => {
    setAdding(true);
    const answer = await post<{
      registered: { name: string; version: number } | null;
      checked: Checked;
    }>('/api/v1/tools', { code: code.value });
    setAdding(false);
    const made = answer.ok ? answer.value.registered : null;
    if (!answer.ok) setState({ text: answer.detail, bad: true });
    else if (made) {
      onAdded();
      go('tools', made.name);
    }
  };
  return (
    <div class="view">
      <p class="back">
        <a href={path('tools')}>← {w.list}</a>
      </p>
      <Card
        title={w.fresh}
        aside={
          <DeedButton
            deed="add"
            class="primary"
            disabled={adding || !(checked?.admitted ?? false)}
            onClick={() => void add()}
          >
            {adding ? `${w.adding} …` : w.add}
          </DeedButton>
        }
      >
        <NeedsRole deed="check" />
        <Outcome text={state.text || w.unchecked} bad={state.bad} />
        <Code
          text={begun}
          label={w.editor}
          findings={checked?.findings ?? NONE}
          onChange={(text) => (code.value = text)}
          line={line}
        />
        <h3>{w.findings}</h3>
        <Findings all={checked?.findings ?? NONE} onLine={(number) => setLine({ number })} />
      </Card>
      {checked?.motion && checked.motion.beats.length > 0 && (
        <Card title={words.value.replay.title}>
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

const NONE: Checked['findings'] = [];
