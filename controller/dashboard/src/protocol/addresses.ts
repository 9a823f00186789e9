/** Where a robot is: the address of its server, which the page that it serves does not need to name. */

/** An address as a person writes it, in its one form; `null` when it is none. */
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

/** The address of a WebSocket at this server; `here` is the page's own address. */
export function webSocketUrl(base: string, path: string, here: string): string {
  const url = new URL(path, base === '' ? here : base);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

/** What a WebSocket offers so that the server knows who asks: a browser can send no headers with one. */
export function webSocketProtocols(token: string): string[] {
  return token === '' ? [] : ['minismith', `minismith.bearer.${token}`];
}
