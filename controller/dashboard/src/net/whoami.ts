/** Finds out the user's role. If the server does not report it, the page infers it from what it may read. */

import { accessFromAnswers, isRole, NO_ACCESS, type Access } from '../logic/roles';
import { request, type RequestOptions, type Result } from './http';

const TIMEOUT_MS = 5000;

export interface Identity {
  /** `null` if the server was not reached. */
  access: Access | null;
  /** Why the user has no role here, in the server's words. */
  reason: string;
  /** The fleet that the server is an operator of. Older servers do not send it. */
  fleet: string | null;
  /** The port of the camera's video by WebRTC. */
  webrtcPort: number | null;
}

export async function whoAmI(signal: AbortSignal, token?: string): Promise<Identity> {
  const options: RequestOptions = {
    signal,
    timeoutMs: TIMEOUT_MS,
    ...(token === undefined ? {} : { token }),
  };
  const me = await request<Record<'name' | 'role' | 'fleet' | 'webrtc_port', unknown>>(
    '/api/v1/me',
    options,
  );
  if (me.ok && isRole(me.value.role)) {
    const name = typeof me.value.name === 'string' ? me.value.name : null;
    const fleet = typeof me.value.fleet === 'string' ? me.value.fleet : null;
    const { webrtc_port } = me.value;
    const webrtcPort = typeof webrtc_port === 'number' ? webrtc_port : null;
    return { access: { atLeast: me.value.role, exact: true, name }, reason: '', fleet, webrtcPort };
  }
  const unknown: Identity = { access: null, reason: '', fleet: null, webrtcPort: null };
  if (!me.ok && me.status === 401) return { ...unknown, access: NO_ACCESS, reason: me.detail };
  if (!me.ok && me.status === 0) return { ...unknown, reason: me.detail };
  const isAllowed = (answer: Result<unknown>) => answer.ok || answer.status === 409;
  const viewer = await request('/api/v1/lease', options);
  if (!viewer.ok)
    return { ...unknown, access: viewer.status === 0 ? null : NO_ACCESS, reason: viewer.detail };
  const operator = isAllowed(await request('/api/v1/sessions', options));
  const engineer = operator && isAllowed(await request('/api/v1/journal?limit=1', options));
  return { ...unknown, access: accessFromAnswers({ viewer: true, operator, engineer }) };
}
