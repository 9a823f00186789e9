/** Code with its colours and findings; plain text until the editor has come. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Finding } from '../protocol/responses';
import type { Mirror } from './codemirror';

interface Shown {
  text: string;
  label: string;
  findings?: Finding[];
  onChange?: (text: string) => void;
  /** Where to go; each new value goes there. */
  line?: { number: number } | null;
}

export function Code({ text, label, findings = [], onChange, line = null }: Shown) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Mirror | null>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const [ready, setReady] = useState(false);
  const writes = onChange !== undefined;
  useEffect(() => {
    let ended = false;
    void import('./codemirror').then(({ mirror }) => {
      if (ended || place.current === null) return;
      const hear = (next: string) => change.current?.(next);
      editor.current = mirror(place.current, {
        text,
        label,
        ...(writes ? { onChange: hear } : {}),
      });
      setReady(true);
    });
    return () => {
      ended = true;
      editor.current?.dispose();
      editor.current = null;
      setReady(false);
    };
  }, [label, writes]);
  useEffect(() => editor.current?.write(text), [text, ready]);
  useEffect(() => editor.current?.mark(findings), [findings, ready]);
  useEffect(() => {
    if (line) editor.current?.goTo(line.number);
  }, [line]);
  return (
    <div class="code" ref={place}>
      {!ready && <pre>{text}</pre>}
    </div>
  );
}
