/** The list of expectations as text, with what was measured of each that is not met at its line. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CodeEditor } from '../editor/code-editor';
import { missedFindings } from '../logic/expectations';
import type { Measured } from '../protocol/responses';
import { messages } from '../i18n';

interface ExpectationsEditorProps {
  text: string;
  /** What was measured of this text; empty if it was not measured yet. */
  measured: Measured[];
  invalid: boolean;
  /** The line to show. Each new object shows it again. */
  line: { number: number } | null;
  onText: (text: string) => void;
  onSubmit: () => void;
}

export function ExpectationsEditor({
  text,
  measured,
  invalid,
  line,
  onText,
  onSubmit,
}: ExpectationsEditorProps) {
  const w = messages.value.tools.expectations;
  const findings = useMemo(() => missedFindings(measured, text), [measured, text]);
  const [isOpen, setOpen] = useState(false);
  const [shownLine, setShownLine] = useState(line);
  const container = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (line === null) return;
    setOpen(true);
    container.current?.scrollIntoView({ block: 'nearest' });
    setShownLine(line);
  }, [line]);
  return (
    <details
      class="expects"
      ref={container}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{w.edit}</summary>
      {isOpen && (
        <>
          <p class="note">{w.label}</p>
          <CodeEditor
            text={text}
            label={w.label}
            findings={findings}
            onChange={onText}
            onSubmit={onSubmit}
            line={shownLine}
          />
        </>
      )}
      {invalid && <p class="field-error">{w.invalid}</p>}
      <p class="note">{w.hint}</p>
    </details>
  );
}
