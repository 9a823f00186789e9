//! Hover and signature help.

use lsp_types::{
    Documentation, Hover, HoverContents, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel,
    SignatureHelp, SignatureInformation,
};

use crate::catalog::{Catalog, Symbol};
use crate::context::{Names, argument, dotted_before, surroundings, word_at};
use crate::signature::Kind;
use crate::text::Text;

/// Returns what is known about the name or the argument at a place.
pub(crate) fn hover(catalog: &Catalog, text: &Text, at: usize) -> Option<Hover> {
    let source = text.as_str();
    let word = word_at(source, at);
    if word.is_empty() || !surroundings(source, word.start).is_code() {
        return None;
    }
    let names = Names::of(source);
    let value = keyword(catalog, &names, source, word.clone()).or_else(|| {
        let symbol = match imported(source, word.clone()) {
            Some(target) => catalog.symbol(&target),
            None => catalog.symbol(&names.resolve(catalog, dotted_before(source, word.end))?),
        };
        symbol.map(|symbol| catalog.describe(symbol))
    })?;
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(text.span(&word)) })
}

/// Describes the argument whose keyword stands here.
fn keyword(catalog: &Catalog, names: &Names, source: &str, word: std::ops::Range<usize>) -> Option<String> {
    let behind = source.get(word.end..)?.trim_start();
    if !behind.starts_with('=') || behind.starts_with("==") {
        return None;
    }
    let (callee, _) = surroundings(source, word.start).call(source)?;
    let symbol = catalog.symbol(&names.resolve(catalog, callee)?)?;
    let name = source.get(word)?;
    let parameter = symbol.function.parameters.iter().find(|parameter| parameter.name == name)?;
    Some(catalog.describe_parameter(symbol, parameter))
}

/// Returns what a name in the list of `from ... import` refers to.
fn imported(source: &str, word: std::ops::Range<usize>) -> Option<crate::catalog::Target> {
    let before = source.get(..word.start)?.rsplit('\n').next()?;
    let (path, _) = before.trim_start().strip_prefix("from ")?.split_once(" import ")?;
    Some(crate::catalog::Target::Name(path.trim().to_owned(), source.get(word)?.to_owned()))
}

/// Returns the signature of the call around a place, and which of its arguments stands there.
pub(crate) fn signature_help(catalog: &Catalog, text: &Text, at: usize) -> Option<SignatureHelp> {
    let source = text.as_str();
    let (callee, bracket) = surroundings(source, at).call(source)?;
    let symbol = catalog.symbol(&Names::of(source).resolve(catalog, callee)?)?;
    let (keyword, position) = argument(source, bracket, at);
    let parameters = &symbol.function.parameters;
    let active = match keyword {
        Some(name) => parameters.iter().position(|parameter| parameter.name == name),
        None => {
            let rest = parameters.iter().position(|parameter| parameter.kind == Kind::Rest);
            let by_position = parameters.get(position).filter(|it| it.kind != Kind::KeywordOnly);
            by_position.map(|_| position).or(rest)
        }
    };
    let active = active.and_then(|active| u32::try_from(active).ok());
    let signature = SignatureInformation {
        label: symbol.function.signature(),
        documentation: Some(markdown(symbol.function.description().to_owned())),
        parameters: Some(parameters.iter().map(|it| information(catalog, symbol, it)).collect()),
        active_parameter: active,
    };
    Some(SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: active })
}

fn information(
    catalog: &Catalog,
    symbol: &Symbol,
    parameter: &crate::signature::Parameter,
) -> ParameterInformation {
    let meaning = symbol.function.meaning(&parameter.name).map(str::to_owned);
    let words: Vec<String> = meaning.into_iter().chain(catalog.range(symbol, &parameter.name)).collect();
    ParameterInformation {
        label: ParameterLabel::Simple(parameter.declaration()),
        documentation: (!words.is_empty()).then(|| markdown(words.join(" "))),
    }
}

fn markdown(value: String) -> Documentation {
    Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
}
