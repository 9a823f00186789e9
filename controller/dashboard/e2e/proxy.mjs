/** A slow network in front of a server: it delays data, sometimes much longer, and can go dead. It loses nothing. */

import { connect, createServer } from 'node:net';

/**
 * Delays every chunk by `delay` ms in each direction, and a `share` of them by another `held` ms. Later chunks wait
 * behind it, as behind a retransmitted packet.
 */
export async function proxy(target, { delay = 250, share = 0.05, held = 1000, seed = 1 } = {}) {
  const { hostname, port } = new URL(target);
  let isDead = false;
  let wake = [];
  // Every run holds the same chunks.
  let state = seed;
  const chance = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
  const pass = (from, to) => {
    const queue = [];
    let isBusy = false;
    const forward = async () => {
      if (isBusy) return;
      isBusy = true;
      while (queue.length > 0) {
        const { chunk, due } = queue.shift();
        const late = due - performance.now();
        if (late > 0) await new Promise((done) => setTimeout(done, late));
        while (isDead) await new Promise((done) => wake.push(done));
        if (to.destroyed) break;
        if (chunk === null) to.end();
        else to.write(chunk);
      }
      isBusy = false;
    };
    const enqueue = (chunk) => {
      const due = performance.now() + delay + (chance() < share ? held : 0);
      queue.push({ chunk, due });
      void forward();
    };
    from.on('data', enqueue);
    from.on('end', () => enqueue(null));
    from.on('error', () => to.destroy());
    from.on('close', () => enqueue(null));
  };
  const all = new Set();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port || 80), allowHalfOpen: true });
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      all.add(socket);
      socket.on('close', () => all.delete(socket));
    }
    pass(client, upstream);
    pass(upstream, client);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** From now on accepts connections but forwards nothing. */
    die() {
      isDead = true;
    },
    revive() {
      isDead = false;
      wake.forEach((done) => done());
      wake = [];
    },
    close() {
      all.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}
