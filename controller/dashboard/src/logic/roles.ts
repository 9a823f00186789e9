/** Who may do what: the same as the server's own rule, so that what would be refused is not offered. */

export const ROLES = ['viewer', 'operator', 'engineer', 'owner'] as const;

export type Role = (typeof ROLES)[number];

/** What needs a role. */
export const NEEDS = {
  watch: 'viewer',
  stop: 'viewer',
  talk: 'operator',
  steer: 'operator',
  run: 'operator',
  rehearse: 'operator',
  sessions: 'operator',
  check: 'engineer',
  add: 'engineer',
  journal: 'engineer',
  measure: 'engineer',
  examine: 'engineer',
  approve: 'owner',
  shelve: 'owner',
} as const satisfies Record<string, Role>;

export type Deed = keyof typeof NEEDS;

/** What is known of one's role: the least that it is, and whether it may be more. */
export interface Standing {
  atLeast: Role | null;
  exact: boolean;
  name: string | null;
}

export const NOBODY: Standing = { atLeast: null, exact: true, name: null };

/** Whether it is worth asking: it is allowed, or nobody knows that it is not. */
export function may(standing: Standing, deed: Deed): boolean {
  const need = ROLES.indexOf(NEEDS[deed]);
  const have = standing.atLeast === null ? -1 : ROLES.indexOf(standing.atLeast);
  return have >= need || (!standing.exact && standing.atLeast !== null);
}

export function isRole(word: unknown): word is Role {
  return ROLES.some((role) => role === word);
}

/** What follows from which questions were answered: each is for one role and those above it. */
export function concluded(answered: {
  viewer: boolean;
  operator: boolean;
  engineer: boolean;
}): Standing {
  if (answered.engineer) return { atLeast: 'engineer', exact: false, name: null };
  if (answered.operator) return { atLeast: 'operator', exact: true, name: null };
  if (answered.viewer) return { atLeast: 'viewer', exact: true, name: null };
  return NOBODY;
}
