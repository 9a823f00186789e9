/** Addresses of robots. The page's own server has the empty address. */

/** Returns a typed address in its canonical form, or `null` if it is invalid. */
export function normalizeAddress(written: string): string | null {
  const text = written.trim();
  if (text === '') return null;
  try {
    const url = new URL(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
    if (url.username !== '' || url.password !== '') return null;
    return url.origin;
  } catch {
    return null;
  }
}

/** Returns the address of a WebSocket at a server; `here` is the page's own address. */
export function webSocketUrl(base: string, path: string, here: string): string {
  const url = new URL(path, base === '' ? here : base);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

/** Returns the WebSocket subprotocols that carry the token, since browsers cannot set headers on a WebSocket. */
export function webSocketProtocols(token: string): string[] {
  return token === '' ? [] : ['minismith', `minismith.bearer.${token}`];
}
