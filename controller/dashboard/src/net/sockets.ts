/** Opens WebSockets to the selected robot. */

import { webSocketUrl, webSocketProtocols } from '../protocol/addresses';
import { base, token } from './robots';

/** Returns `null` if the browser refuses to try, for example from an HTTPS page to a robot without TLS. */
export function openSocket(path: string): WebSocket | null {
  try {
    const address = webSocketUrl(base.value, path, location.href);
    return new WebSocket(address, webSocketProtocols(token.value));
  } catch {
    return null;
  }
}
