/** What the language server adds to the editor: diagnostics while typing, completion, explanations and quick fixes. */

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Action, Diagnostic } from '@codemirror/lint';
import {
  StateEffect,
  StateField,
  type ChangeSet,
  type Extension,
  type Text,
} from '@codemirror/state';
import { EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from '@codemirror/view';
import { LanguageServer } from '../net/language-server';
import {
  actionsFor,
  changesOf,
  findingOf,
  lineStarts,
  offsetOf,
  positionOf,
  type CodeAction,
  type CompletionItem,
  type LspDiagnostic,
  type TextEdit,
} from '../protocol/lsp';
import type { Finding } from '../protocol/responses';
import { renderMarkup } from './markup';

/** A change that removes a finding. */
export interface Fix {
  title: string;
  apply(): void;
}

export interface LiveFinding extends Finding {
  fixes: Fix[];
}

const SEVERITIES = ['error', 'warning', 'info'] as const;

/** The kinds of completions that look different, by their number in the protocol. */
const KINDS: Record<number, string> = {
  2: 'method',
  3: 'function',
  5: 'property',
  7: 'class',
  9: 'namespace',
  10: 'property',
  12: 'constant',
  20: 'enum',
};

/** Characters after which something can be completed although no word has begun. */
const TRIGGER = /[.("']$|, ?$|(from|import) $/;

const positionAt = (doc: Text, pos: number) => {
  const line = doc.lineAt(pos);
  return { line: line.number - 1, character: pos - line.from };
};

export class LanguageSupport {
  private server: LanguageServer | null = null;
  private view: EditorView | null = null;
  /** What is marked in the text. */
  diagnostics: Diagnostic[] = [];
  private findings: LiveFinding[] = [];

  /** `onChange` is called when the diagnostics change; `null` while there is no language server. */
  constructor(private readonly onChange: (findings: LiveFinding[] | null) => void) {}

  connect(view: EditorView): void {
    this.view = view;
    this.server = new LanguageServer(view.state.doc.toString(), {
      onDiagnostics: (diagnostics, version) => void this.show(diagnostics, version),
      onConnection: (isConnected) => {
        if (isConnected) return;
        this.diagnostics = [];
        this.findings = [];
        this.onChange(null);
      },
    });
  }

  /**
   * Takes a change of the text. What is marked moves along until the server has read the new text. The fixes go, since they are
   * for the text before.
   */
  follow(changes: ChangeSet, text: string): void {
    this.diagnostics = this.diagnostics.map((one) => ({
      ...one,
      from: changes.mapPos(one.from, 1),
      to: changes.mapPos(one.to, 1),
      actions: [],
    }));
    if (this.findings.some((one) => one.fixes.length > 0)) {
      this.findings = this.findings.map((one) => ({ ...one, fixes: [] }));
      this.onChange(this.findings);
    }
    this.server?.setText(text);
  }

  close(): void {
    this.server?.close();
    this.server = null;
  }

  /** Shows what was found in a version of the text, first as it is, then with the fixes. */
  private async show(found: LspDiagnostic[], version: number): Promise<void> {
    if (this.server === null || this.server.version !== version) return;
    this.publish(found, []);
    if (found.length === 0) return;
    const text = this.text();
    const end = positionOf(text.length, lineStarts(text));
    const actions = await this.server.request('textDocument/codeAction', {
      range: { start: { line: 0, character: 0 }, end },
      context: { diagnostics: [], only: ['quickfix'] },
    });
    if (this.server?.version === version && actions !== null) this.publish(found, actions);
  }

  private publish(found: LspDiagnostic[], actions: CodeAction[]): void {
    const text = this.text();
    const starts = lineStarts(text);
    const fixesOf = (one: LspDiagnostic) =>
      actionsFor(one, actions).map((action) => ({
        title: action.title,
        apply: () => this.apply(Object.values(action.edit?.changes ?? {}).flat(), text),
      }));
    const findings = found.map((one) => ({ ...findingOf(one), fixes: fixesOf(one) }));
    this.diagnostics = found.map((one, at) => ({
      from: offsetOf(one.range.start, starts, text.length),
      to: offsetOf(one.range.end, starts, text.length),
      severity: SEVERITIES[(one.severity ?? 2) - 1] ?? 'info',
      source: one.code ?? '',
      message: one.message,
      actions: (findings[at]?.fixes ?? []).map(({ title, apply }): Action => ({
        name: title,
        apply,
      })),
    }));
    this.findings = findings;
    this.onChange(findings);
  }

  private text(): string {
    return this.view?.state.doc.toString() ?? '';
  }

  /** Carries out edits of a text, unless it has changed since. */
  private apply(edits: TextEdit[], text: string): void {
    if (this.view === null || this.text() !== text) return;
    this.view.dispatch({
      changes: changesOf(edits, lineStarts(text), text.length),
      userEvent: 'input.fix',
      scrollIntoView: true,
    });
    this.view.focus();
  }

  private readonly complete = async (
    context: CompletionContext,
  ): Promise<CompletionResult | null> => {
    const { state, pos, explicit } = context;
    const word = context.matchBefore(/\w+/);
    const line = state.doc.lineAt(pos);
    if (word === null && !explicit && !TRIGGER.test(state.sliceDoc(line.from, pos))) return null;
    const position = positionAt(state.doc, pos);
    const found = await this.server?.request('textDocument/completion', { position });
    if (!found || context.aborted || found.items.length === 0) return null;
    const text = state.doc.toString();
    const starts = lineStarts(text);
    const first = found.items[0]?.textEdit;
    const from =
      first === undefined ? (word?.from ?? pos) : offsetOf(first.range.start, starts, text.length);
    return {
      from,
      options: found.items.map((item) => option(item, starts, text.length)),
      validFor: /^\w*$/,
    };
  };

  /** Returns what the word at a place means, with its units and limits. */
  private async explain(view: EditorView, pos: number): Promise<Tooltip | null> {
    const { doc } = view.state;
    const position = positionAt(doc, pos);
    const found = await this.server?.request('textDocument/hover', { position });
    if (!found || view.state.doc !== doc) return null;
    const dom = renderMarkup(found.contents.value);
    dom.classList.add('cm-explanation');
    // A screen reader that asked for it by a key reads it out.
    dom.setAttribute('role', 'status');
    return { pos, above: true, create: () => ({ dom }) };
  }

  /** Shows the explanation of the word at the cursor until the cursor moves. */
  private readonly explainHere = (view: EditorView): boolean => {
    void this.explain(view, view.state.selection.main.head).then((tooltip) => {
      if (tooltip !== null) view.dispatch({ effects: showExplanation.of(tooltip) });
    });
    return true;
  };

  extensions(): Extension {
    return [
      autocompletion({ override: [this.complete], icons: false, maxRenderedOptions: 60 }),
      hoverTooltip((view, pos) => this.explain(view, pos)),
      explanation,
      keymap.of([
        { key: 'Alt-i', run: this.explainHere },
        { key: 'Escape', run: hideExplanation },
      ]),
    ];
  }
}

const showExplanation = StateEffect.define<Tooltip | null>();

const explanation = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(showExplanation)) return effect.value;
    }
    return transaction.docChanged || transaction.selection !== undefined ? null : shown;
  },
  provide: (field) => showTooltip.from(field),
});

function hideExplanation(view: EditorView): boolean {
  if (view.state.field(explanation) === null) return false;
  view.dispatch({ effects: showExplanation.of(null) });
  return true;
}

function option(item: CompletionItem, starts: number[], length: number): Completion {
  const { label, detail, documentation, textEdit, additionalTextEdits = [] } = item;
  const more = changesOf(additionalTextEdits, starts, length);
  return {
    label,
    ...(detail === undefined ? {} : { detail }),
    ...(item.kind === undefined ? {} : { type: KINDS[item.kind] ?? 'text' }),
    // Arguments of the call come before everything else.
    boost: item.sortText === undefined ? 0 : 50,
    ...(documentation === undefined ? {} : { info: () => renderMarkup(documentation.value) }),
    apply: (view, _, from, to) => {
      const insert = textEdit?.newText ?? label;
      const changes = view.state.changes([...more, { from, to, insert }]);
      view.dispatch({
        changes,
        selection: { anchor: changes.mapPos(from, -1) + insert.length },
        userEvent: 'input.complete',
      });
    },
  };
}
