//! Completion: attributes, imports, arguments, and the names that a tool may import.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent, MarkupKind,
    TextEdit,
};

use crate::catalog::{Catalog, Symbol, Target};
use crate::context::{Names, Surroundings, argument, dotted_before, surroundings, word_at};
use crate::imports::importing;
use crate::text::Text;

/// Returns what may stand at a place.
pub(crate) fn complete(catalog: &Catalog, text: &Text, at: usize) -> Vec<CompletionItem> {
    let source = text.as_str();
    let around = surroundings(source, at);
    let names = Names::of(source);
    let mut items = match around.text_from {
        Some(quote) => choices(catalog, &names, source, &around, quote),
        None if around.is_comment => Vec::new(),
        None => in_code(catalog, &names, text, &around, at),
    };
    let start = around.text_from.unwrap_or_else(|| word_at(source, at).start);
    let range = text.span(&(start..at.max(start)));
    for item in &mut items {
        let new_text = item.insert_text.take().unwrap_or_else(|| item.label.clone());
        item.text_edit = Some(CompletionTextEdit::Edit(TextEdit { range, new_text }));
    }
    items
}

fn in_code(
    catalog: &Catalog,
    names: &Names,
    text: &Text,
    around: &Surroundings,
    at: usize,
) -> Vec<CompletionItem> {
    let source = text.as_str();
    if let Some(items) = import(catalog, source, at) {
        return items;
    }
    let dotted = dotted_before(source, at);
    if let Some((owner, _)) = dotted.rsplit_once('.') {
        let Some(target) = names.resolve(catalog, owner) else { return Vec::new() };
        return members(catalog, &target);
    }
    let mut items = Vec::new();
    if let Some((callee, bracket)) = around.call(source)
        && let Some(symbol) = names.resolve(catalog, callee).and_then(|target| catalog.symbol(&target))
        && argument(source, bracket, at).0.is_none()
    {
        items.extend(arguments(catalog, symbol));
    }
    items.extend(importable(catalog, names, text));
    items
}

/// Completes `import ...` and `from ... import ...`.
fn import(catalog: &Catalog, source: &str, at: usize) -> Option<Vec<CompletionItem>> {
    let line = source.get(..at)?.rsplit('\n').next()?.trim_start();
    if let Some((path, _)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
        return Some(members(catalog, &Target::Module(path.trim().to_owned())));
    }
    let typed = line.strip_prefix("from ").or_else(|| line.strip_prefix("import "))?;
    let typed = typed.rsplit(',').next().unwrap_or_default().trim();
    if typed.contains(' ') {
        return Some(Vec::new());
    }
    let owner = typed.rsplit_once('.').map(|(owner, _)| format!("{owner}."));
    let paths = catalog.surface.modules.iter().map(|(path, _)| *path);
    let below = paths.filter_map(|path| path.strip_prefix(owner.as_deref().unwrap_or_default()));
    Some(below.map(|path| item(path, CompletionItemKind::MODULE)).collect())
}

fn members(catalog: &Catalog, target: &Target) -> Vec<CompletionItem> {
    let known = |name: &&'static str| {
        let below = catalog.below(target, name);
        match below.as_ref().and_then(|target| catalog.symbol(target)) {
            Some(symbol) => described(catalog, symbol),
            None => item(name, CompletionItemKind::VALUE),
        }
    };
    catalog.members(target).iter().map(known).collect()
}

/// Returns the arguments of a call as `name=`.
fn arguments<'c>(catalog: &'c Catalog, symbol: &'c Symbol) -> impl Iterator<Item = CompletionItem> + 'c {
    let named = symbol.function.parameters.iter().filter(|parameter| parameter.has_keyword());
    named.map(move |parameter| CompletionItem {
        detail: Some(parameter.declaration()),
        documentation: Some(markdown(catalog.describe_parameter(symbol, parameter))),
        // Before everything else that could stand there.
        sort_text: Some(format!("0{}", parameter.name)),
        ..item(&format!("{}=", parameter.name), CompletionItemKind::FIELD)
    })
}

/// Returns the names of the project's own modules. One that is not imported yet brings its import.
fn importable(catalog: &Catalog, names: &Names, text: &Text) -> Vec<CompletionItem> {
    let own = ["motion", "minismith", "reachy_mini", "reachy_mini.utils"];
    let mut items = Vec::new();
    for path in own {
        for name in catalog.members(&Target::Module(path.to_owned())) {
            let target = Target::Name(path.to_owned(), name.to_owned());
            let mut found = match catalog.symbol(&target) {
                Some(symbol) => described(catalog, symbol),
                None => item(name, CompletionItemKind::CLASS),
            };
            if !names.values.contains_key(name) {
                let (range, new_text) = importing(text.as_str(), path, name);
                found.additional_text_edits = Some(vec![TextEdit { range: text.span(&range), new_text }]);
                found.detail = Some(format!("from {path} import {name}"));
            }
            items.push(found);
        }
    }
    items
}

/// Completes a text that has to be one of several, such as `method="minjerk"`.
fn choices(
    catalog: &Catalog,
    names: &Names,
    source: &str,
    around: &Surroundings,
    quote: usize,
) -> Vec<CompletionItem> {
    let choices = || {
        let (callee, bracket) = around.call(source)?;
        let target = names.resolve(catalog, callee)?;
        let symbol = catalog.symbol(&target)?;
        let (keyword, position) = argument(source, bracket, quote - 1);
        let positional = symbol.function.parameters.get(position).map(|parameter| parameter.name.as_str());
        Some(catalog.choices(symbol, keyword.or(positional)?))
    };
    choices().into_iter().flatten().map(|choice| item(choice, CompletionItemKind::ENUM_MEMBER)).collect()
}

fn described(catalog: &Catalog, symbol: &Symbol) -> CompletionItem {
    let kind = match (symbol.function.is_property, &symbol.function.class) {
        (true, _) => CompletionItemKind::PROPERTY,
        (false, Some(_)) => CompletionItemKind::METHOD,
        (false, None) => CompletionItemKind::FUNCTION,
    };
    CompletionItem {
        detail: Some(symbol.function.signature()),
        documentation: Some(markdown(catalog.describe(symbol))),
        ..item(&symbol.function.name, kind)
    }
}

fn item(label: &str, kind: CompletionItemKind) -> CompletionItem {
    CompletionItem { label: label.to_owned(), kind: Some(kind), ..CompletionItem::default() }
}

fn markdown(value: String) -> Documentation {
    Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
}
