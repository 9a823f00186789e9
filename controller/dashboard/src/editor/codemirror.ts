/** The CodeMirror editor, loaded when code is shown for the first time. */

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import {
  bracketMatching,
  HighlightStyle,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Finding } from '../protocol/responses';

export interface Editor {
  setText(text: string): void;
  setFindings(findings: Finding[]): void;
  goTo(line: number): void;
  dispose(): void;
}

export interface EditorOptions {
  text: string;
  label: string;
  /** Without it the editor is read-only. */
  onChange?: (text: string) => void;
}

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--card)', color: 'var(--ink)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-scroller': { fontFamily: "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--soft)', border: '0' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--sunken) 55%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  {
    tag: [tags.function(tags.variableName), tags.definition(tags.variableName)],
    color: 'var(--code-name)',
  },
]);

const SEVERITY = { pass: 'info', needs_approval: 'warning', reject: 'error' } as const;

export function createEditor(
  parent: HTMLElement,
  { text, label, onChange }: EditorOptions,
): Editor {
  const isReadOnly = onChange === undefined;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        python(),
        indentUnit.of('    '),
        syntaxHighlighting(colours),
        theme,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({
          'aria-label': label,
          spellcheck: 'false',
          tabindex: '0',
        }),
        ...(isReadOnly
          ? [EditorState.readOnly.of(true), EditorView.editable.of(false)]
          : [highlightActiveLine()]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange?.(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(next) {
      if (next === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    setFindings(findings) {
      view.dispatch(
        setDiagnostics(
          view.state,
          findings.map((one) => diagnostic(view.state, one)),
        ),
      );
    },
    goTo(number) {
      const line = view.state.doc.line(Math.max(1, Math.min(view.state.doc.lines, number)));
      view.dispatch({
        selection: { anchor: line.from },
        effects: EditorView.scrollIntoView(line.from, { y: 'center' }),
      });
      view.focus();
    },
    dispose: () => view.destroy(),
  };
}

function diagnostic(state: EditorState, finding: Finding): Diagnostic {
  const number = Math.max(1, Math.min(state.doc.lines, finding.line ?? 1));
  const line = state.doc.line(number);
  const hint = finding.hint === '' ? '' : `\n${finding.hint}`;
  return {
    from: line.from + (line.text.length - line.text.trimStart().length),
    to: line.to,
    severity: SEVERITY[finding.verdict] ?? 'warning',
    source: finding.rule,
    message: finding.reason + hint,
  };
}
