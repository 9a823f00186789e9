/** WebSockets to the robot that is chosen. */

import { webSocketUrl, webSocketProtocols } from '../protocol/addresses';
import { base, token } from './robots';

/** `null` where the browser does not even try, as from a page with TLS to a robot without. */
export function openSocket(path: string): WebSocket | null {
  try {
    const address = webSocketUrl(base.value, path, location.href);
    return new WebSocket(address, webSocketProtocols(token.value));
  } catch {
    return null;
  }
}
