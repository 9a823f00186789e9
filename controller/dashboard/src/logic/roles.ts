/** Who may do what: the same as the server's own rule, so that what would be refused is not offered. */

export const ROLES = ['viewer', 'operator', 'engineer', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** What needs a role. */
export const REQUIRED_ROLE = {
  watch: 'viewer',
  stop: 'viewer',
  talk: 'operator',
  control: 'operator',
  run: 'operator',
  rehearse: 'operator',
  sessions: 'operator',
  check: 'engineer',
  add: 'engineer',
  journal: 'engineer',
  maintain: 'engineer',
  diagnose: 'engineer',
  approve: 'owner',
  manage: 'owner',
} as const satisfies Record<string, Role>;

export type Action = keyof typeof REQUIRED_ROLE;

/** What is known of one's role: the least that it is, and whether it may be more. */
export interface Access {
  atLeast: Role | null;
  exact: boolean;
  name: string | null;
}

export const NO_ACCESS: Access = { atLeast: null, exact: true, name: null };

/** Whether it is worth asking: it is allowed, or nobody knows that it is not. */
export function isPermitted(access: Access, action: Action): boolean {
  const need = ROLES.indexOf(REQUIRED_ROLE[action]);
  const have = access.atLeast === null ? -1 : ROLES.indexOf(access.atLeast);
  return have >= need || (!access.exact && access.atLeast !== null);
}

export function isRole(word: unknown): word is Role {
  return ROLES.some((role) => role === word);
}

/** What follows from which questions were answered: each is for one role and those above it. */
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
