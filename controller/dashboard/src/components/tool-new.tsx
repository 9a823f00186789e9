/**
 * The editor for a new tool. The language server shows findings while the user types; after a pause, or for a key, the server
 * rehearses the tool. Accepted code can be added.
 */

import { useEffect, useRef, useState } from 'preact/hooks';
import { CodeEditor } from '../editor/code-editor';
import type { LiveFinding } from '../editor/language';
import { isAllowed } from '../net/live';
import { post } from '../net/http';
import {
  checkCode,
  code,
  expectsText,
  newDraft,
  newMotion,
  original,
  parseExpects,
} from '../net/tool-draft';
import type { CheckResult, Finding, Measured } from '../protocol/responses';
import { messages } from '../i18n';
import { Elapsed } from './elapsed';
import { Expectations } from './expectations';
import { ExpectationsEditor } from './expectations-editor';
import { Findings } from './findings';
import { ReplayView } from './replay';
import { ReportPlots } from './report';
import { go, path } from './route';
import { showMotionPlots } from './show-plots';
import { Card, RoleButton, NeedsRole, Outcome } from './basics';
import { lazy } from './lazy';
import { Changes } from './tool-code';

const LazyTimeline = lazy(() => import('../timeline/view'));

/** The pause in typing after which the code is rehearsed, milliseconds. */
const CHECK_DELAY_MS = 700;

/** One list for all views, so that they change only with what is measured. */
const NOT_MEASURED: Measured[] = [];

interface Check {
  /** What was checked. */
  code: string;
  expects: string;
  result: CheckResult;
}

export default function NewTool({ onAdded }: { onAdded: () => void }) {
  const w = messages.value.tools;
  const [check, setCheck] = useState<Check | null>(null);
  const [live, setLive] = useState<LiveFinding[] | null>(null);
  const [state, setState] = useState({ text: '', bad: false });
  const [line, setLine] = useState<{ number: number } | null>(null);
  const [expectLine, setExpectLine] = useState<{ number: number } | null>(null);
  const [checking, setChecking] = useState(false);
  const [adding, setAdding] = useState(false);
  const [comparing, setComparing] = useState(false);
  const [onTimeline, setOnTimeline] = useState(false);
  /** What the editor was last given. It is not told what it says itself: more may have been typed since. */
  const [given, setGiven] = useState(() => ({ text: code.value }));
  const give = (text: string) => {
    code.value = text;
    setGiven({ text });
  };
  const rehearseNow = useRef(() => {});
  const canCheck = isAllowed('check');
  const currentCode = code.value;
  const expects = parseExpects(expectsText.value);
  useEffect(() => {
    if (!canCheck || expects === null) return;
    const ending = new AbortController();
    const { signal } = ending;
    const run = async () => {
      clearTimeout(timer);
      setChecking(true);
      setState({ text: '', bad: false });
      const answer = await checkCode(currentCode, expects, signal);
      // A newer edit has started its own check.
      if (signal.aborted) return;
      setChecking(false);
      setCheck(
        answer.ok ? { code: currentCode, expects: expectsText.value, result: answer.value } : null,
      );
      setState(answer.ok ? verdict(answer.value) : { text: answer.detail, bad: true });
    };
    const timer = setTimeout(() => void run(), CHECK_DELAY_MS);
    let isBegun = false;
    rehearseNow.current = () => {
      if (!isBegun) void run();
      isBegun = true;
    };
    return () => {
      clearTimeout(timer);
      ending.abort();
      setChecking(false);
    };
  }, [currentCode, expectsText.value, canCheck]);
  const add = async () => {
    setAdding(true);
    const answer = await post<{
      registered: { name: string; version: number } | null;
      checked: CheckResult;
    }>('/api/v1/tools', {
      code: code.value,
      ...(expects === null || expects.length === 0 ? {} : { expects }),
    });
    setAdding(false);
    const added = answer.ok ? answer.value.registered : null;
    if (!answer.ok) setState({ text: answer.detail, bad: true });
    else if (added) {
      original.value = null;
      onAdded();
      go('tools', added.name);
    }
  };
  const isCurrent = check?.code === currentCode && check.expects === expectsText.value;
  const checked = check?.result ?? null;
  const rehearsed = isCurrent ? (checked?.findings ?? []) : [];
  const measured = (isCurrent && checked?.expectations) || NOT_MEASURED;
  // The language server shows the policy's findings at their exact places.
  const others = live === null ? rehearsed : rehearsed.filter((one) => !isAmong(one, live));
  return (
    <div class="view">
      <p class="back">
        <a href={path('tools')}>← {w.list}</a>
      </p>
      <Card
        title={
          original.value === null
            ? w.newTool
            : w.newVersionOf(original.value.name, original.value.version)
        }
        aside={
          <span class="buttons">
            {canCheck && (
              <button
                type="button"
                aria-pressed={onTimeline}
                onClick={() => setOnTimeline(!onTimeline)}
              >
                {messages.value.timeline.title}
              </button>
            )}
            <RoleButton
              action="check"
              disabled={checking || expects === null}
              title="Ctrl+Enter"
              onClick={() => rehearseNow.current()}
            >
              {w.rehearse}
            </RoleButton>
            <RoleButton
              action="add"
              class="primary"
              disabled={adding || !isCurrent || !(checked?.accepted ?? false)}
              onClick={() => void add()}
            >
              {adding ? `${w.adding} …` : w.add}
            </RoleButton>
          </span>
        }
      >
        <NeedsRole action="check" />
        {checking ? (
          <p class="outcome" role="status">
            {w.checking} … <Elapsed />
          </p>
        ) : (
          <Outcome text={state.text || w.unchecked} bad={state.bad} />
        )}
        <CodeEditor
          text={given.text}
          given={given}
          label={w.editor}
          findings={others}
          onChange={(text) => (code.value = text)}
          onSubmit={() => rehearseNow.current()}
          {...(canCheck ? { onFindings: setLive } : {})}
          line={line}
        />
        <p class="note keys">{w.editorKeys}</p>
        <h3>{w.findings}</h3>
        <Findings all={[...(live ?? []), ...others]} onLine={(number) => setLine({ number })} />
        <h3>{w.expectations.title}</h3>
        {measured.length > 0 ? (
          <Expectations
            all={measured}
            text={expectsText.value}
            onLine={(number) => setExpectLine({ number })}
          />
        ) : (
          <p class="note">{w.expectations.unmeasured}</p>
        )}
        <ExpectationsEditor
          text={expectsText.value}
          measured={measured}
          invalid={expects === null}
          line={expectLine}
          onText={(text) => (expectsText.value = text)}
          onSubmit={() => rehearseNow.current()}
        />
        {original.value !== null && (
          <div class="buttons">
            <button type="button" aria-pressed={comparing} onClick={() => setComparing(!comparing)}>
              {w.compareWithVersion(original.value.version)}
            </button>
            <button
              type="button"
              onClick={() => {
                newDraft();
                setComparing(false);
                give(code.value);
              }}
            >
              {w.discard}
            </button>
          </div>
        )}
        {comparing && original.value !== null && (
          <Changes before={original.value.code} after={currentCode} />
        )}
      </Card>
      {onTimeline && (
        <LazyTimeline
          source={currentCode}
          onSource={give}
          onNew={() => {
            newMotion();
            give(code.value);
          }}
        />
      )}
      {checked?.motion && checked.motion.cycles.length > 0 && (
        <Card
          title={messages.value.replay.title}
          aside={
            <button
              type="button"
              onClick={() =>
                void showMotionPlots(checked.name, checked.motion, checked.expectations)
              }
            >
              {w.showPlots}
            </button>
          }
        >
          <ReplayView replay={checked.motion} measured={checked.expectations ?? NOT_MEASURED} />
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

const isAmong = ({ rule, line, reason }: Finding, all: Finding[]) =>
  all.some((one) => one.rule === rule && one.line === line && one.reason === reason);

/** Says in one sentence how a check ended. */
function verdict({ accepted, phase, expectations = [] }: CheckResult) {
  const w = messages.value.tools;
  if (accepted) {
    const held = expectations.filter((one) => one.held).length;
    const more =
      expectations.length === 0 ? '' : ` ${w.expectations.met(held, expectations.length)}`;
    return { text: w.accepted + more, bad: false };
  }
  return { text: w.rejectedBy(w.phases[phase] ?? phase), bad: true };
}
