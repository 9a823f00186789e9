//! Reads what tools can call from the sources of the tool host, and writes it as a Python stub.
//!
//! The signatures and the documentation of `ReachyMini`, its media and the module `minismith` are those of the `pymethods`
//! and `pyfunction` items that the tool host is built from, so an editor never shows another one.

// A build that cannot read its sources fails.
#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, Expr, FnArg, GenericArgument, ImplItem, Item, Lit, Meta, Pat, PathArguments, Signature, Type,
};

const SOURCES: [&str; 4] = ["robot.rs", "media.rs", "files.rs", "package.rs"];

fn main() {
    let folder = Path::new("../tool-host/src");
    let mut stub = String::new();
    for source in SOURCES {
        let path = folder.join(source);
        println!("cargo:rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).expect("a source of the tool host");
        for item in syn::parse_file(&text).expect("Rust").items {
            write_item(&item, &mut stub);
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../tool-host/src/python/motion.py");
    let out = env::var_os("OUT_DIR").expect("cargo names the folder");
    fs::write(Path::new(&out).join("facade.pyi"), stub).expect("the folder is writable");
}

fn write_item(item: &Item, stub: &mut String) {
    match item {
        Item::Impl(implementation) if has(&implementation.attrs, "pymethods") => {
            let Type::Path(class) = &*implementation.self_ty else { return };
            let class = class.path.segments.last().expect("a name");
            writeln!(stub, "class {}:", class.ident).unwrap();
            for item in &implementation.items {
                if let ImplItem::Fn(method) = item {
                    write_function(&method.sig, &method.attrs, "    ", stub);
                }
            }
            stub.push_str("    ...\n\n");
        }
        Item::Fn(function) if has(&function.attrs, "pyfunction") => {
            write_function(&function.sig, &function.attrs, "", stub);
        }
        _ => {}
    }
}

fn write_function(signature: &Signature, attributes: &[Attribute], indent: &str, stub: &mut String) {
    let name = renamed(attributes).unwrap_or_else(|| plain(&signature.ident.to_string()));
    if name.starts_with("__") || has(attributes, "new") {
        return;
    }
    if has(attributes, "getter") {
        writeln!(stub, "{indent}@property").unwrap();
    }
    let types = typed_arguments(signature);
    let parameters: Vec<String> = match declared(attributes) {
        Some(declared) => declared.iter().map(|parameter| annotated(parameter, &types)).collect(),
        None => types.iter().map(|(name, _)| annotated(name, &types)).collect(),
    };
    let own = if indent.is_empty() { None } else { Some("self".to_owned()) };
    let parameters: Vec<String> = own.into_iter().chain(parameters).collect();
    let returns = match &signature.output {
        syn::ReturnType::Default => Some("None".to_owned()),
        syn::ReturnType::Type(_, given) => python_type(given),
    };
    let returns = returns.map(|given| format!(" -> {given}")).unwrap_or_default();
    writeln!(stub, "{indent}def {name}({}){returns}:", parameters.join(", ")).unwrap();
    let mut lines = documentation(attributes).into_iter();
    write!(stub, "{indent}    \"\"\"{}", lines.next().unwrap_or_default()).unwrap();
    for line in lines {
        write!(stub, "\n{indent}    {line}").unwrap();
    }
    writeln!(stub, "\"\"\"").unwrap();
}

/// Returns the documentation in Google's style: a list of `` * `name`: meaning `` becomes the section of the arguments.
fn documentation(attributes: &[Attribute]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut in_list = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        let Expr::Lit(text) = &pair.value else { continue };
        let Lit::Str(text) = &text.lit else { continue };
        let line = text.value().trim().to_owned();
        match line.strip_prefix("* `").and_then(|rest| rest.split_once("`: ")) {
            Some((name, meaning)) => {
                if !in_list {
                    lines.push("Args:".to_owned());
                    in_list = true;
                }
                lines.push(format!("    {name}: {meaning}"));
            }
            None => lines.push(line),
        }
    }
    lines
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident(name))
}

/// Returns the tokens behind this word in `#[pyo3(...)]`.
fn option(attributes: &[Attribute], word: &str) -> Option<impl Iterator<Item = TokenTree>> {
    let lists = attributes.iter().filter(|attribute| attribute.path().is_ident("pyo3"));
    lists.filter_map(|attribute| attribute.meta.require_list().ok()).find_map(|list| {
        let mut tokens = list.tokens.clone().into_iter();
        tokens.find(|token| matches!(token, TokenTree::Ident(found) if found == word))?;
        Some(tokens)
    })
}

/// Returns the name of `#[pyo3(name = "...")]`.
fn renamed(attributes: &[Attribute]) -> Option<String> {
    option(attributes, "name")?.find_map(|token| match token {
        TokenTree::Literal(name) => Some(name.to_string().trim_matches('"').to_owned()),
        _ => None,
    })
}

/// Returns the parameters of `#[pyo3(signature = (...))]`, such as `duration=0.5`.
fn declared(attributes: &[Attribute]) -> Option<Vec<String>> {
    let group = option(attributes, "signature")?.find_map(|token| match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    })?;
    Some(split(group))
}

/// Splits tokens at their commas.
fn split(tokens: TokenStream) -> Vec<String> {
    let mut parts = vec![String::new()];
    for token in tokens {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => parts.push(String::new()),
            token => parts.last_mut().expect("one part").push_str(&token.to_string()),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.iter().map(|part| plain(part)).collect()
}

/// Returns a parameter with its type: `duration: float = 0.5`.
fn annotated(parameter: &str, types: &[(String, Option<String>)]) -> String {
    let (name, default) = match parameter.split_once('=') {
        Some((name, default)) => (name, Some(default)),
        None => (parameter, None),
    };
    let annotation = types.iter().find(|(known, _)| known == name).and_then(|(_, given)| given.as_deref());
    let default = default.map(|default| match default {
        "true" => "True",
        "false" => "False",
        // A value of Rust, such as the one that distinguishes a missing argument from `None`.
        rust if rust.contains("::") => "...",
        other => other,
    });
    match (annotation, default) {
        (Some(annotation), Some(default)) => format!("{name}: {annotation} = {default}"),
        (Some(annotation), None) => format!("{name}: {annotation}"),
        (None, Some(default)) => format!("{name}={default}"),
        (None, None) => name.to_owned(),
    }
}

/// Returns the arguments that Python passes, with their types as far as Python has them.
fn typed_arguments(signature: &Signature) -> Vec<(String, Option<String>)> {
    let arguments = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(argument) => Some(argument),
        FnArg::Receiver(_) => None,
    });
    let named = arguments.filter_map(|argument| match &*argument.pat {
        Pat::Ident(name) => Some((plain(&name.ident.to_string()), &*argument.ty)),
        _ => None,
    });
    let named = named.filter(|(name, given)| !matches!(name.as_str(), "this" | "py") && !is_token(given));
    named.map(|(name, given)| (name, python_type(given))).collect()
}

/// Returns whether an argument is `Python<'_>`, which PyO3 supplies.
fn is_token(given: &Type) -> bool {
    matches!(given, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Python"))
}

/// Returns the name of a type in Python; none for one that is checked only when the tool runs.
fn python_type(given: &Type) -> Option<String> {
    let path = match given {
        Type::Tuple(tuple) if tuple.elems.is_empty() => return Some("None".to_owned()),
        Type::Tuple(tuple) => {
            let items: Option<Vec<String>> = tuple.elems.iter().map(python_type).collect();
            return items.map(|items| format!("tuple[{}]", items.join(", ")));
        }
        Type::Reference(reference) => return python_type(&reference.elem),
        Type::Path(path) => path.path.segments.last()?,
        _ => return None,
    };
    let inner = || match &path.arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(given) => python_type(given),
                _ => None,
            })
        }
        _ => None,
    };
    match path.ident.to_string().as_str() {
        "f64" => Some("float".to_owned()),
        "bool" => Some("bool".to_owned()),
        "usize" | "u32" => Some("int".to_owned()),
        "String" | "str" => Some("str".to_owned()),
        "PyBytes" => Some("bytes".to_owned()),
        "BodyYaw" => Some("float | None".to_owned()),
        "PyResult" | "Py" => inner(),
        "Vec" => inner().map(|item| format!("list[{item}]")),
        "Option" => inner().map(|some| if some == "None" { some } else { format!("{some} | None") }),
        class @ ("MediaManager" | "FaceTarget") => Some(class.to_owned()),
        _ => None,
    }
}

/// Returns an identifier of Rust as Python writes it.
fn plain(identifier: &str) -> String {
    identifier.replace("r#", "")
}
