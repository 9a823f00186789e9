//! Sounds, photos, feelings, dances, circles, official moves, and entries of the library.

use minismith_score::Step;

use super::modifiers::Modifiers;
use super::{Builder, Item, What};
use crate::act::{Amount, Node};
use crate::clause::Clause;
use crate::tag::{Mode, Tag};

impl Builder<'_> {
    /// Sounds, photos, feelings, dances, circles, entries of the library.
    pub(super) fn named(&mut self, clause: &Clause, modifiers: &Modifiers) -> bool {
        let found = clause.tags.iter().find(|tagged| {
            matches!(
                tagged.tag,
                Tag::Sound
                    | Tag::Photo
                    | Tag::Play(_)
                    | Tag::Feeling(_)
                    | Tag::Dance
                    | Tag::Circle
                    | Tag::Known(_)
            )
        });
        let Some(found) = found else { return false };
        // "bounces happily": the motion is named, and the feeling says how.
        let verb = clause.tags.iter().find_map(|tagged| match tagged.tag {
            Tag::Verb(verb) => Some(verb),
            _ => None,
        });
        if matches!(found.tag, Tag::Feeling(_))
            && verb.is_some_and(|verb| !matches!(verb.mode, Mode::Look | Mode::Move))
        {
            return false;
        }
        let node = match &found.tag {
            Tag::Sound => Node::Sound,
            Tag::Photo => Node::Photo,
            Tag::Play(name) => {
                self.built.keeps |= *name == "go_to_sleep";
                let words = name.replace('_', " ");
                Node::Raw {
                    label: format!("plays {words}"),
                    name: (*name).to_owned(),
                    steps: vec![Step::Play((*name).to_owned())],
                }
            }
            Tag::Feeling(feeling) => Node::Raw {
                label: format!("looks {}", feeling.name),
                name: feeling.name.to_owned(),
                steps: feeling.steps(),
            },
            Tag::Dance => crate::figures::dance(
                modifiers.tempo.or(self.tempo).unwrap_or(0.5),
                match modifiers.total {
                    Some(Amount::Value(seconds)) => Some(seconds),
                    _ => None,
                },
                modifiers.beats,
            ),
            Tag::Circle => crate::figures::circle(),
            Tag::Known(index) => match self.known.get(*index) {
                Some(entry) => Node::Raw {
                    label: entry.name.clone(),
                    name: entry.name.clone(),
                    steps: entry.steps.clone(),
                },
                None => return false,
            },
            _ => return false,
        };
        let pause = modifiers.between.or(modifiers.rate);
        let is_brief = matches!(node, Node::Sound | Node::Photo);
        // "Beeps three times, one beep per second": how the sounds follow each other.
        if let Some(rate) = modifiers.rate.filter(|_| is_brief && modifiers.count.is_none())
            && let Some(Item { what: What::Node(Node::Times { pause, nodes, .. }), .. }) =
                self.built.items.last_mut()
            && matches!(nodes.as_slice(), [Node::Sound | Node::Photo])
        {
            *pause = Some(rate);
            return true;
        }
        // A sound begins and does not wait, so several would be heard at once; several photos would show the same.
        let pause = pause.or(is_brief.then_some(0.8));
        let node = match modifiers.count {
            Some(count) if count != 1 => {
                Node::Times { count, is_set: modifiers.is_count_set, pause, nodes: vec![node] }
            }
            _ if modifiers.is_count_set => {
                Node::Times { count: 1, is_set: true, pause: None, nodes: vec![node] }
            }
            _ => node,
        };
        self.push(clause, What::Node(node));
        true
    }
}
