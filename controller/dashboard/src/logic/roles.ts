/**
 * The roles and what each may do. They match the server's rules, so that the page offers nothing that the server
 * rejects.
 */

export const ROLES = ['viewer', 'operator', 'engineer', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** The role that each action requires. */
export const REQUIRED_ROLE = {
  watch: 'viewer',
  stop: 'viewer',
  talk: 'operator',
  control: 'operator',
  run: 'operator',
  rehearse: 'operator',
  sessions: 'operator',
  fleet: 'operator',
  check: 'engineer',
  add: 'engineer',
  journal: 'engineer',
  recordings: 'engineer',
  maintain: 'engineer',
  diagnose: 'engineer',
  approve: 'owner',
  manage: 'owner',
  fleet_tools: 'owner',
} as const satisfies Record<string, Role>;

export type Action = keyof typeof REQUIRED_ROLE;

/** What the page knows about the user's role: the lowest it can be, and whether that is exact. */
export interface Access {
  atLeast: Role | null;
  exact: boolean;
  name: string | null;
}

export const NO_ACCESS: Access = { atLeast: null, exact: true, name: null };

/** Whether to offer an action: the role permits it, or the role is not known exactly. */
export function isPermitted(access: Access, action: Action): boolean {
  const need = ROLES.indexOf(REQUIRED_ROLE[action]);
  const have = access.atLeast === null ? -1 : ROLES.indexOf(access.atLeast);
  return have >= need || (!access.exact && access.atLeast !== null);
}

export function isRole(word: unknown): word is Role {
  return ROLES.some((role) => role === word);
}

/** Infers the role from which requests succeeded. Each request requires one role or a higher one. */
export function accessFromAnswers(answered: {
  viewer: boolean;
  operator: boolean;
  engineer: boolean;
}): Access {
  if (answered.engineer) return { atLeast: 'engineer', exact: false, name: null };
  if (answered.operator) return { atLeast: 'operator', exact: true, name: null };
  if (answered.viewer) return { atLeast: 'viewer', exact: true, name: null };
  return NO_ACCESS;
}
