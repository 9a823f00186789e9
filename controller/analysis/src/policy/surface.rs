//! What a tool may use, as data for editors: the very lists that the checks compare with. `permitted` returns them.

use crate::manifest::Capability;

/// A function that a tool may call, or an attribute that it may read.
#[derive(Clone, Debug, PartialEq)]
pub struct Callable {
    /// Its name.
    pub name: &'static str,
    /// Its arguments.
    pub words: Vec<Word>,
    /// The capabilities that its use needs.
    pub needs: &'static [Capability],
}

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Its name.
    pub name: &'static str,
    /// The unit of its range; empty for a plain number.
    pub unit: &'static str,
    /// The permitted range of a literal, ends included.
    pub range: Option<(f64, f64)>,
    /// The axes that it moves. Two words of one axis are opposite directions.
    pub axes: &'static [&'static str],
}

impl Word {
    pub(super) const fn without_range(name: &'static str) -> Self {
        Word { name, unit: "", range: None, axes: &[] }
    }
}

/// Everything that a tool may use.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The attributes of `ReachyMini`.
    pub robot: Vec<Callable>,
    /// The attributes of `ReachyMini.media`.
    pub media: Vec<Callable>,
    /// `create_head_pose`.
    pub head_pose: Vec<Callable>,
    /// The functions of the module `motion`.
    pub motion: Vec<Callable>,
    /// The modules that a tool may import, each with its permitted names.
    pub modules: Vec<(&'static str, Vec<&'static str>)>,
    /// The values of `method` in `goto_target`.
    pub methods: &'static [&'static str],
    /// The values of `easing` in the module `motion`.
    pub easings: &'static [&'static str],
}
