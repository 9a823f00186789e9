/** WebSockets to the robot that is chosen. */

import { socketAddress, socketProtocols } from '../protocol/addresses';
import { base, token } from './robots';

/** `null` where the browser does not even try, as from a page with TLS to a robot without. */
export function opened(path: string): WebSocket | null {
  try {
    const address = socketAddress(base.value, path, location.href);
    return new WebSocket(address, socketProtocols(token.value));
  } catch {
    return null;
  }
}
