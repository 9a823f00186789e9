/** A code editor with syntax highlighting and findings. It shows plain text until the editor is loaded. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Finding } from '../protocol/responses';
import type { Editor } from './codemirror';

interface CodeEditorProps {
  text: string;
  label: string;
  findings?: Finding[];
  onChange?: (text: string) => void;
  /** The line to scroll to. Each new object scrolls again. */
  line?: { number: number } | null;
}

export function CodeEditor({ text, label, findings = [], onChange, line = null }: CodeEditorProps) {
  const container = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const [ready, setReady] = useState(false);
  const isEditable = onChange !== undefined;
  useEffect(() => {
    let isDisposed = false;
    void import('./codemirror').then(({ createEditor: create }) => {
      if (isDisposed || container.current === null) return;
      const onEdit = (next: string) => change.current?.(next);
      editor.current = create(container.current, {
        text,
        label,
        ...(isEditable ? { onChange: onEdit } : {}),
      });
      setReady(true);
    });
    return () => {
      isDisposed = true;
      editor.current?.dispose();
      editor.current = null;
      setReady(false);
    };
  }, [label, isEditable]);
  useEffect(() => editor.current?.setText(text), [text, ready]);
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
