/** Who the server takes us for. Where it does not say so itself, what it lets us read tells. */

import { concluded, isRole, type Standing } from '../logic/roles';
import { ask, type Answer } from './http';

const PATIENCE_MS = 5000;

export async function whoAmI(signal: AbortSignal, as?: string): Promise<Standing | null> {
  const question = { signal, patience: PATIENCE_MS, ...(as === undefined ? {} : { as }) };
  const said = await ask<{ name?: unknown; role?: unknown }>('/api/v1/me', question);
  if (said.ok && isRole(said.value.role)) {
    const name = typeof said.value.name === 'string' ? said.value.name : null;
    return { atLeast: said.value.role, exact: true, name };
  }
  if (!said.ok && said.status === 0) return null;
  const may = (answer: Answer<unknown>) => answer.ok || answer.status === 409;
  const viewer = await ask('/api/v1/lease', question);
  if (!viewer.ok && viewer.status === 0) return null;
  if (!may(viewer)) return concluded({ viewer: false, operator: false, engineer: false });
  const operator = may(await ask('/api/v1/sessions', question));
  const engineer = operator && may(await ask('/api/v1/journal?limit=1', question));
  return concluded({ viewer: true, operator, engineer });
}
