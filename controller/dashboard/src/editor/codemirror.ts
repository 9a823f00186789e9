/** The CodeMirror editor, loaded when code is shown for the first time. */

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import {
  bracketMatching,
  HighlightStyle,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { completionKeymap } from '@codemirror/autocomplete';
import {
  lintGutter,
  lintKeymap,
  openLintPanel,
  setDiagnostics,
  type Diagnostic,
} from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Finding } from '../protocol/responses';
import { LanguageSupport, type LiveFinding } from './language';

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
  /** Called with what the language server finds while the user types; `null` while there is none. */
  onFindings?: (findings: LiveFinding[] | null) => void;
  /** Called for Ctrl+Enter. */
  onSubmit?: () => void;
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
    maxWidth: 'min(560px, 92vw)',
  },
  '.cm-markup': { padding: '6px 10px', maxHeight: '40vh', overflow: 'auto', lineHeight: '1.4' },
  '.cm-markup pre': { marginBottom: '4px', whiteSpace: 'pre-wrap' },
  '.cm-markup ul': { paddingLeft: '14px', listStyle: 'disc' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8', fontSize: '12px' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-panel-lint ul [aria-selected]': { backgroundColor: 'var(--card)' },
  '.cm-diagnosticAction': {
    background: 'var(--accent)',
    color: 'var(--on-accent)',
    minHeight: '24px',
    fontSize: '12px',
  },
  '.cm-diagnosticSource': { fontSize: '12px', opacity: '1', color: 'var(--soft)' },
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
  { text, label, onChange, onFindings, onSubmit }: EditorOptions,
): Editor {
  const isReadOnly = onChange === undefined;
  let findings: Finding[] = [];
  const mark = () => {
    const own = findings.map((one) => diagnostic(view.state, one));
    view.dispatch(setDiagnostics(view.state, [...(language?.diagnostics ?? []), ...own]));
  };
  const language =
    onFindings === undefined
      ? null
      : new LanguageSupport((found) => {
          mark();
          onFindings(found);
        });
  const submit = () => (onSubmit?.(), onSubmit !== undefined);
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
        Prec.high(
          keymap.of([
            { key: 'Mod-Enter', run: submit },
            { key: 'Mod-.', run: openLintPanel },
          ]),
        ),
        language?.extensions() ?? [],
        keymap.of([...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({
          'aria-label': label,
          spellcheck: 'false',
          tabindex: '0',
        }),
        ...(isReadOnly
          ? [EditorState.readOnly.of(true), EditorView.editable.of(false)]
          : [highlightActiveLine()]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          const next = update.state.doc.toString();
          language?.follow(update.changes, next);
          onChange?.(next);
        }),
      ],
    }),
  });
  language?.connect(view);
  return {
    setText(next) {
      if (next === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    setFindings(next) {
      findings = next;
      mark();
    },
    goTo(number) {
      const line = view.state.doc.line(Math.max(1, Math.min(view.state.doc.lines, number)));
      view.dispatch({
        selection: { anchor: line.from },
        effects: EditorView.scrollIntoView(line.from, { y: 'center' }),
      });
      view.focus();
    },
    dispose() {
      language?.close();
      view.destroy();
    },
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
