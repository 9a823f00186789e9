/** A code editor with syntax highlighting and findings. It shows plain text until the editor is loaded. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Finding } from '../protocol/responses';
import type { Editor } from './codemirror';
import type { LiveFinding } from './language';

interface CodeEditorProps {
  text: string;
  label: string;
  findings?: Finding[];
  onChange?: (text: string) => void;
  /** Asks the language server, and is called with what it finds; `null` while there is none. */
  onFindings?: (findings: LiveFinding[] | null) => void;
  /** Called for Ctrl+Enter. */
  onSubmit?: () => void;
  /** The line to scroll to. Each new object scrolls again. */
  line?: { number: number } | null;
  /** Each new object shows the text again, even if it is the same as the last one that was given. */
  given?: object;
}

const NO_FINDINGS: Finding[] = [];

export function CodeEditor({
  text,
  label,
  findings = NO_FINDINGS,
  onChange,
  onFindings,
  onSubmit,
  line = null,
  given,
}: CodeEditorProps) {
  const container = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const handlers = useRef({ onChange, onFindings, onSubmit });
  handlers.current = { onChange, onFindings, onSubmit };
  const [ready, setReady] = useState(false);
  const isEditable = onChange !== undefined;
  const isAssisted = onFindings !== undefined;
  useEffect(() => {
    let isDisposed = false;
    void import('./codemirror').then(({ createEditor: create }) => {
      if (isDisposed || container.current === null) return;
      const onEdit = (next: string) => handlers.current.onChange?.(next);
      const onLive = (found: LiveFinding[] | null) => handlers.current.onFindings?.(found);
      const onKey = () => handlers.current.onSubmit?.();
      editor.current = create(container.current, {
        text,
        label,
        ...(isEditable ? { onChange: onEdit, onSubmit: onKey } : {}),
        ...(isAssisted ? { onFindings: onLive } : {}),
      });
      setReady(true);
    });
    return () => {
      isDisposed = true;
      editor.current?.dispose();
      editor.current = null;
      setReady(false);
    };
  }, [label, isEditable, isAssisted]);
  useEffect(() => editor.current?.setText(text), [text, given, ready]);
  useEffect(() => editor.current?.setFindings(findings), [findings, ready]);
  useEffect(() => {
    if (line) editor.current?.goTo(line.number);
  }, [line]);
  return (
    <div class="code" ref={container}>
      {!ready && <pre>{text}</pre>}
    </div>
  );
}
