/** The rules of the policy, fetched when somebody asks why. */

import type { PolicyRule } from '../protocol/responses';
import { request } from './http';
import { robotSignal } from './robots';

export const rules = robotSignal<PolicyRule[] | null>(null);

export async function loadRules(): Promise<void> {
  if (rules.value !== null) return;
  const answer = await request<{ rules: PolicyRule[] }>('/api/v1/rules', { timeoutMs: 10_000 });
  if (answer.ok) rules.value = answer.value.rules;
}
