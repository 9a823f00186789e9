/** The messages of the language server, as far as the editor uses them, and what they mean in a text. */

import type { Finding } from './responses';

/** A place in a text: the line and the character in it, both from 0. */
export interface Position {
  line: number;
  character: number;
}

export interface LspRange {
  start: Position;
  end: Position;
}

export interface TextEdit {
  range: LspRange;
  newText: string;
}

export interface LspDiagnostic {
  range: LspRange;
  severity?: number;
  code?: string;
  message: string;
}

/** Text in Markdown. */
export interface Markup {
  value: string;
}

export interface CompletionItem {
  label: string;
  kind?: number;
  detail?: string;
  documentation?: Markup;
  sortText?: string;
  textEdit?: TextEdit;
  additionalTextEdits?: TextEdit[];
}

export interface CodeAction {
  title: string;
  diagnostics?: LspDiagnostic[];
  edit?: { changes?: Record<string, TextEdit[]> };
}

/** What the methods return. */
export interface Results {
  'textDocument/completion': { items: CompletionItem[] };
  'textDocument/hover': { contents: Markup; range?: LspRange } | null;
  'textDocument/codeAction': CodeAction[];
}

/** Returns the offset of each line of a text. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Returns the offset of a place; one beyond the text is its end. */
export function offsetOf({ line, character }: Position, starts: number[], length: number): number {
  const start = starts[line];
  if (start === undefined) return length;
  const end = (starts[line + 1] ?? length + 1) - 1;
  return Math.min(start + character, end);
}

export function positionOf(offset: number, starts: number[]): Position {
  let line = starts.length - 1;
  while (line > 0 && (starts[line] as number) > offset) line -= 1;
  return { line, character: offset - (starts[line] as number) };
}

/** A change of a text, in offsets before it. */
export interface Change {
  from: number;
  to: number;
  insert: string;
}

export const changesOf = (edits: TextEdit[], starts: number[], length: number): Change[] =>
  edits.map(({ range, newText }) => ({
    from: offsetOf(range.start, starts, length),
    to: offsetOf(range.end, starts, length),
    insert: newText,
  }));

const VERDICTS = { 1: 'reject', 2: 'needs_approval' } as const;

/** Returns the finding that a diagnostic shows. */
export function findingOf({ range, severity, code, message }: LspDiagnostic): Finding {
  const [reason = '', ...hint] = message.split('\n');
  return {
    rule: code ?? '',
    line: range.start.line + 1,
    verdict: VERDICTS[severity as 1 | 2] ?? 'pass',
    reason,
    hint: hint.join('\n'),
  };
}

const isSame = (one: LspDiagnostic, other: LspDiagnostic) =>
  one.code === other.code &&
  one.message === other.message &&
  one.range.start.line === other.range.start.line &&
  one.range.start.character === other.range.start.character;

/** Returns the actions that remove what a diagnostic shows. */
export const actionsFor = (diagnostic: LspDiagnostic, actions: CodeAction[]): CodeAction[] =>
  actions.filter((action) => action.diagnostics?.some((one) => isSame(one, diagnostic)));
