/** Who the server takes us for. Where it does not say so itself, what it lets us read tells. */

import { concluded, isRole, NOBODY, type Standing } from '../logic/roles';
import { ask, type Answer } from './http';

const PATIENCE_MS = 5000;

export interface Said {
  /** `null` where the server was not reached. */
  standing: Standing | null;
  /** Why somebody is nobody here, in the server's words. */
  why: string;
}

export async function whoAmI(signal: AbortSignal, as?: string): Promise<Said> {
  const question = { signal, patience: PATIENCE_MS, ...(as === undefined ? {} : { as }) };
  const said = await ask<{ name?: unknown; role?: unknown }>('/api/v1/me', question);
  if (said.ok && isRole(said.value.role)) {
    const name = typeof said.value.name === 'string' ? said.value.name : null;
    return { standing: { atLeast: said.value.role, exact: true, name }, why: '' };
  }
  if (!said.ok && said.status === 401) return { standing: NOBODY, why: said.detail };
  if (!said.ok && said.status === 0) return { standing: null, why: said.detail };
  const may = (answer: Answer<unknown>) => answer.ok || answer.status === 409;
  const viewer = await ask('/api/v1/lease', question);
  if (!viewer.ok) return { standing: viewer.status === 0 ? null : NOBODY, why: viewer.detail };
  const operator = may(await ask('/api/v1/sessions', question));
  const engineer = operator && may(await ask('/api/v1/journal?limit=1', question));
  return { standing: concluded({ viewer: true, operator, engineer }), why: '' };
}
