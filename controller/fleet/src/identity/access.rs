//! What each role of a fleet may do ([`Role`]), as access control by key expression for Zenoh ([`control`]).
//!
//! Everything is denied but what a rule permits. A member is known by the common name of its certificate. Its commands have its
//! name in their key, so nobody commands under another name, and who may command nothing has no such key.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::keys::{Keys, Name};

/// What a member of a fleet may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// See all robots, command them, and revoke members. Each fleet has one, from `init`.
    #[value(skip)]
    Owner,
    /// See all robots and command them.
    Operator,
    /// See all robots.
    Viewer,
    /// Be a robot: publish its own state and receive commands.
    Robot,
}

impl Role {
    /// Returns its name in certificates, as in messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::Owner => "owner",
            Role::Operator => "operator",
            Role::Viewer => "viewer",
            Role::Robot => "robot",
        }
    }

    /// Returns the role of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Role> {
        [Role::Owner, Role::Operator, Role::Viewer, Role::Robot]
            .into_iter()
            .find(|role| role.as_str() == name)
    }
}

/// Returns Zenoh's access control for these members.
#[must_use]
pub fn control(fleet: &Name, members: &[(Name, Role)]) -> Value {
    let all = Keys::all(fleet);
    let everything = all.of_kind("**");
    let alive = all.of_kind("alive");
    let (status, tools, withdrawn) = (all.of_kind("status"), all.tool("*"), all.of_kind("withdrawn"));
    let rule = |id: &str, flow: &str, messages: &[&str], keys: &[&str]| json!({ "id": id, "permission": "allow", "flows": [flow], "messages": messages, "key_exprs": keys });
    let presence = ["liveliness_query", "declare_liveliness_subscriber"];
    let mut rules = vec![
        // What robots receive: questions, and what others are interested in; no messages of other robots.
        rule(
            "robots-receive",
            "egress",
            &["query", "declare_subscriber", "declare_queryable"],
            &[&everything],
        ),
        rule("presence-out", "egress", &["liveliness_token"], &[&alive]),
        rule("presence-in", "ingress", &presence, &[&alive]),
        rule("tools-in", "ingress", &["query"], &[&tools, &withdrawn]),
        rule("tools-out", "egress", &["reply"], &[&tools, &withdrawn]),
        rule("see-in", "ingress", &["declare_subscriber"], &[&everything]),
        rule("see-status", "ingress", &["query"], &[&status]),
        rule(
            "see-out",
            "egress",
            &["put", "reply", "declare_queryable", "declare_subscriber"],
            &[&everything],
        ),
    ];
    let mut policies = Vec::new();
    for (member, role) in members {
        let own = format!("own-{member}");
        let mut permitted = vec!["presence-out", "presence-in", "tools-in", "tools-out"];
        match role {
            Role::Robot => {
                let keys = Keys::of(fleet, member);
                let (below, alive) = (keys.of_kind("**"), keys.of_kind("alive"));
                rules.push(rule(&own, "ingress", &["put", "declare_queryable", "reply"], &[&below]));
                let token = format!("token-{member}");
                rules.push(rule(&token, "ingress", &["liveliness_token"], &[&alive]));
                permitted.extend(["robots-receive", &own, &token]);
                policies.push(json!({ "rules": permitted, "subjects": [member] }));
                continue;
            }
            Role::Owner | Role::Operator => {
                rules.push(rule(&own, "ingress", &["query"], &[&all.ask(member.as_str())]));
                permitted.push(&own);
            }
            Role::Viewer => {}
        }
        permitted.extend(["see-in", "see-status", "see-out"]);
        policies.push(json!({ "rules": permitted, "subjects": [member] }));
    }
    let subjects: Vec<Value> =
        members.iter().map(|(member, _)| json!({ "id": member, "cert_common_names": [member] })).collect();
    json!({
        "enabled": true,
        "default_permission": "deny",
        "rules": rules,
        "subjects": subjects,
        "policies": policies,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_its_own_keys() {
        let fleet: Name = "lab".parse().unwrap();
        let members = [("anna", Role::Owner), ("ben", Role::Viewer), ("kitchen", Role::Robot)]
            .map(|(name, role)| (name.parse().unwrap(), role));
        let control = control(&fleet, &members);
        assert_eq!(control["default_permission"], "deny");
        let text = control.to_string();
        assert!(text.contains("minismith/lab/*/ask/anna") && !text.contains("ask/ben"), "{text}");
        assert!(!text.contains("\"delete\""));
        // A robot publishes below its own name alone.
        let rules = control["rules"].as_array().unwrap();
        let puts: Vec<&Value> = rules
            .iter()
            .filter(|rule| {
                rule["flows"][0] == "ingress" && rule["messages"].as_array().unwrap().contains(&json!("put"))
            })
            .collect();
        assert_eq!(puts.len(), 1);
        assert_eq!(puts[0]["key_exprs"], json!(["minismith/lab/kitchen/**"]));
        let config = json!({ "mode": "router", "access_control": control });
        zenoh::Config::from_json5(&config.to_string()).unwrap();
    }
}
