//! Answers to requests about a document, which need no other process.

use std::collections::HashMap;

use lsp_server::{ErrorCode, Request};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, HoverRequest, Request as _, SignatureHelpRequest,
};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, CodeLens, CodeLensOptions, CodeLensParams, Command, CompletionList,
    CompletionOptions, CompletionParams, ExecuteCommandOptions, HoverParams, HoverProviderCapability,
    InitializeResult, PositionEncodingKind, ServerCapabilities, ServerInfo, SignatureHelpOptions,
    SignatureHelpParams, TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextEdit, Uri, WorkDoneProgressOptions, WorkspaceEdit,
};
use serde_json::{Value, json};

use super::{Client, Document, Refusal, Server, read, to_json};
use crate::diagnostics::{diagnostic, place};
use crate::fixes::{self, Fix};
use crate::transport::Output;
use crate::{completion, hover};

/// The command that rehearses a document.
pub(super) const REHEARSE: &str = "minismith.rehearse";

const REHEARSE_TITLE: &str = "Rehearse this tool";

/// Maximum number of findings of which a page gets fixes.
const MAX_FIXED_OF_PAGE: usize = 20;

/// The kind of the action that rehearses.
const REHEARSE_KIND: CodeActionKind = CodeActionKind::new("source.rehearse");

/// Returns what this server can do.
pub(super) fn abilities(client: &Client) -> InitializeResult {
    let can_rehearse = matches!(client, Client::Editor(_));
    let characters = |all: &[&str]| Some(all.iter().map(|one| (*one).to_owned()).collect());
    let capabilities = ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::FULL),
            ..TextDocumentSyncOptions::default()
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: characters(&[".", "(", ",", "\"", "'"]),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: characters(&["(", ","]),
            ..SignatureHelpOptions::default()
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(if can_rehearse {
                vec![CodeActionKind::QUICKFIX, REHEARSE_KIND]
            } else {
                vec![CodeActionKind::QUICKFIX]
            }),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: can_rehearse.then_some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: can_rehearse.then(|| ExecuteCommandOptions {
            commands: vec![REHEARSE.to_owned()],
            work_done_progress_options: WorkDoneProgressOptions { work_done_progress: Some(true) },
        }),
        ..ServerCapabilities::default()
    };
    let version = Some(env!("CARGO_PKG_VERSION").to_owned());
    InitializeResult { capabilities, server_info: Some(ServerInfo { name: "minismith".to_owned(), version }) }
}

impl<W: Output> Server<W> {
    pub(super) fn answer(&self, request: Request) -> Result<Value, Refusal> {
        let params = request.params;
        match request.method.as_str() {
            Completion::METHOD => {
                let params: CompletionParams = read(params)?;
                let (document, at) = self.place(&params.text_document_position)?;
                let items = completion::complete(&self.catalog, &document.text, at);
                to_json(CompletionList { is_incomplete: false, items })
            }
            HoverRequest::METHOD => {
                let params: HoverParams = read(params)?;
                let (document, at) = self.place(&params.text_document_position_params)?;
                to_json(hover::hover(&self.catalog, &document.text, at))
            }
            SignatureHelpRequest::METHOD => {
                let params: SignatureHelpParams = read(params)?;
                let (document, at) = self.place(&params.text_document_position_params)?;
                to_json(hover::signature_help(&self.catalog, &document.text, at))
            }
            CodeActionRequest::METHOD => to_json(self.actions(&read(params)?)?),
            CodeLensRequest::METHOD => {
                let params: CodeLensParams = read(params)?;
                to_json(lenses(self.document(&params.text_document.uri)?))
            }
            method => Err((ErrorCode::MethodNotFound, format!("there is no method {method}"))),
        }
    }

    pub(super) fn document(&self, uri: &Uri) -> Result<&Document, Refusal> {
        let unknown = || (ErrorCode::InvalidParams, format!("{} is not open", uri.as_str()));
        self.documents.get(uri.as_str()).ok_or_else(unknown)
    }

    fn place(&self, params: &TextDocumentPositionParams) -> Result<(&Document, usize), Refusal> {
        let document = self.document(&params.text_document.uri)?;
        Ok((document, document.text.offset(params.position)))
    }

    /// Returns the fixes of the findings on these lines, and the rehearsal.
    fn actions(&self, params: &CodeActionParams) -> Result<Vec<CodeActionOrCommand>, Refusal> {
        let document = self.document(&params.text_document.uri)?;
        let wanted = |kind: &CodeActionKind| match &params.context.only {
            None => true,
            Some(only) => only.iter().any(|only| {
                let (kind, only) = (kind.as_str(), only.as_str());
                kind.strip_prefix(only).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }),
        };
        let mut actions = Vec::new();
        if wanted(&CodeActionKind::QUICKFIX)
            && let Ok(tool) = self.tool(document)
        {
            let source = document.text.as_str();
            let found = tool.findings(source);
            // Each fix is tried by the rules, and a page asks about its whole text.
            let max = match self.client {
                Client::Editor(_) => usize::MAX,
                Client::Page => MAX_FIXED_OF_PAGE,
            };
            for located in found.iter().take(max) {
                let range = document.text.span(&place(&document.text, located));
                if range.start.line > params.range.end.line || range.end.line < params.range.start.line {
                    continue;
                }
                let start = place(&document.text, located).start;
                for fix in fixes::offered(&self.catalog, &tool, source, &found, located, start) {
                    actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                        kind: Some(CodeActionKind::QUICKFIX),
                        diagnostics: Some(vec![diagnostic(&document.text, located)]),
                        edit: Some(edit(document, &fix)),
                        title: fix.title,
                        ..CodeAction::default()
                    }));
                }
            }
        }
        if matches!(self.client, Client::Editor(_)) && wanted(&REHEARSE_KIND) {
            actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: REHEARSE_TITLE.to_owned(),
                kind: Some(REHEARSE_KIND),
                command: Some(command(document)),
                ..CodeAction::default()
            }));
        }
        Ok(actions)
    }
}

// The library's URIs hash by their text, which never changes.
#[allow(clippy::mutable_key_type)]
fn edit(document: &Document, fix: &Fix) -> WorkspaceEdit {
    let edits = fix
        .edits
        .iter()
        .map(|(range, new_text)| TextEdit { range: document.text.span(range), new_text: new_text.clone() });
    let changes = HashMap::from([(document.uri.clone(), edits.collect())]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

/// Returns the command above the first public function.
fn lenses(document: &Document) -> Vec<CodeLens> {
    let is_public = |line: &str| {
        let name = line.strip_prefix("async ").unwrap_or(line).strip_prefix("def ");
        name.is_some_and(|name| !name.starts_with('_'))
    };
    let mut at = 0;
    for line in document.text.as_str().split_inclusive('\n') {
        if is_public(line) {
            let range = document.text.span(&(at..at + line.trim_end().len()));
            return vec![CodeLens { range, command: Some(command(document)), data: None }];
        }
        at += line.len();
    }
    Vec::new()
}

fn command(document: &Document) -> Command {
    Command {
        title: REHEARSE_TITLE.to_owned(),
        command: REHEARSE.to_owned(),
        arguments: Some(vec![json!(document.uri)]),
    }
}
