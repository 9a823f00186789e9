/** A bad line in front of a server: late, sometimes much later, and dead when it is told to be. Nothing is lost. */

import { connect, createServer } from 'node:net';

/**
 * Each way every piece comes `delay` ms late, and a `share` of them `held` ms later still; what follows waits behind
 * it, as behind a packet that is sent again.
 */
export async function proxy(target, { delay = 250, share = 0.05, held = 1000, seed = 1 } = {}) {
  const { hostname, port } = new URL(target);
  let isDead = false;
  let wake = [];
  // The same pieces are held in every run.
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
        const { piece, due } = queue.shift();
        const late = due - performance.now();
        if (late > 0) await new Promise((done) => setTimeout(done, late));
        while (isDead) await new Promise((done) => wake.push(done));
        if (to.destroyed) break;
        if (piece === null) to.end();
        else to.write(piece);
      }
      isBusy = false;
    };
    const take = (piece) => {
      const due = performance.now() + delay + (chance() < share ? held : 0);
      queue.push({ piece, due });
      void forward();
    };
    from.on('data', take);
    from.on('end', () => take(null));
    from.on('error', () => to.destroy());
    from.on('close', () => take(null));
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
    /** Accepts from now on, and passes nothing. */
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
