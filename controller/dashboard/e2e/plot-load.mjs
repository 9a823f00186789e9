/** Ten signals at 50 Hz for ten minutes: the page gets them at once, then live. Measures how often it draws. */

import { show } from './lib.mjs';

const RATE_HZ = 50;
const MINUTES = 10;
const FRAMES = 60 * RATE_HZ * MINUTES;
const FRAME_BYTES = 136;
const MEASURED_MS = 5000;

const SIGNALS = ['goal', 'present'].flatMap((group) =>
  ['body_rotation', 'stewart_1', 'stewart_2', 'right_antenna', 'left_antenna'].map(
    (motor) => `${group}.${motor}`,
  ),
);

/**
 * Runs in the page, before its own scripts: replaces the WebSocket of the telemetry. The frames of ten minutes come in
 * portions, then one after the other, and every motor sways at its own pace.
 */
function fakeTelemetry({ rate, count, length }) {
  const frame = (number) => {
    const view = new DataView(new ArrayBuffer(length));
    const at_s = number / rate;
    view.setUint8(0, 1);
    view.setUint8(1, 1);
    view.setUint32(4, number, true);
    view.setBigUint64(8, BigInt(2 * number), true);
    view.setBigUint64(16, BigInt(Math.round((1000 + at_s) * 1e9)), true);
    for (let motor = 0; motor < 9; motor += 1) {
      const sway = 0.5 * Math.sin(at_s * (0.3 + 0.1 * motor)) + 0.05 * Math.sin(at_s * 20);
      view.setFloat32(24 + 4 * motor, sway, true);
      view.setFloat32(60 + 4 * motor, sway + 0.01, true);
    }
    view.setUint16(132, 0x1ff, true);
    return view.buffer;
  };
  class FakeSocket {
    readyState = 1;
    number = 0;
    began = 0;
    timer = setInterval(() => this.send(), 20);
    send() {
      const live = this.began === 0 ? 0 : ((Date.now() - this.began) * rate) / 1000;
      const wanted = this.number < count ? this.number + 300 : count + live;
      for (; this.number < wanted; this.number += 1) this.onmessage?.({ data: frame(this.number) });
      if (this.number <= count) this.began = Date.now();
    }
    close() {
      clearInterval(this.timer);
    }
  }
  const Original = window.WebSocket;
  window.WebSocket = new Proxy(Original, {
    construct: (target, parameters) =>
      String(parameters[0]).includes('/telemetry') ? new FakeSocket() : new target(...parameters),
  });
}

const ten = (name) => ({
  file: `${name}.trace.jsonl`,
  name,
  start_time: '2026-01-01T00:00:00Z',
  duration_s: null,
  bytes: 1,
});

/** Runs in the page: counts animation frames, and how often a plot is drawn. */
const measure = (ms) =>
  new Promise((done) => {
    const clear = CanvasRenderingContext2D.prototype.clearRect;
    let drawn = 0;
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      if (this.canvas.closest('.chart') !== null) drawn += 1;
      return clear.apply(this, box);
    };
    const times = [];
    const step = (at) => {
      times.push(at);
      if (at - times[0] < ms) return requestAnimationFrame(step);
      CanvasRenderingContext2D.prototype.clearRect = clear;
      const gaps = times.slice(1).map((time, index) => time - times[index]);
      gaps.sort((one, other) => one - other);
      const seconds = (at - times[0]) / 1000;
      done({
        frames_per_second: Math.round((10 * gaps.length) / seconds) / 10,
        draws_per_second: Math.round((10 * drawn) / seconds) / 10,
        frame_p50_ms: Math.round(10 * gaps[Math.floor(gaps.length / 2)]) / 10,
        frame_p99_ms: Math.round(10 * gaps[Math.floor(0.99 * gaps.length)]) / 10,
      });
    };
    requestAnimationFrame(step);
  });

/** Plots ten minutes of ten signals. A recording has a hostile name. */
export async function plotLoad({ check, eventually, open }, hostileName) {
  const page = await open();
  const telemetry = { rate: RATE_HZ, count: FRAMES, length: FRAME_BYTES };
  await page.addInitScript(fakeTelemetry, telemetry);
  await page.route('**/api/v1/recordings', (route) =>
    route.fulfill({ json: { enabled: true, recordings: [ten(hostileName)] } }),
  );
  await page.addInitScript((signals) => {
    const layout = { columns: 1, plots: [{ id: 0, signals }] };
    localStorage.setItem('minismith.plots.layout', JSON.stringify(layout));
  }, SIGNALS);
  await show(page, 'plots');
  await eventually(
    'ten signals are plotted',
    () => page.locator('.legend tbody tr').count(),
    (rows) => rows === SIGNALS.length,
  );
  await eventually(
    'a hostile name is text',
    () => page.getByRole('combobox', { name: 'Show', exact: true }).textContent(),
    (names) => names.includes(hostileName),
  );
  await page.getByLabel('Show the last').selectOption('600');
  const edges = page.locator('.brush [role="slider"]');
  await eventually(
    'ten minutes are there',
    () => edges.evaluateAll((all) => all[0].getAttribute('aria-valuemax') - all[0].ariaValueMin),
    (seconds) => seconds >= 60 * MINUTES - 2,
  );
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  /** The processor time of the page's own thread, seconds. */
  const processorTime = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value;
  };
  // Until what came at once has been drawn.
  await page.waitForTimeout(1000);
  const before = await processorTime();
  const follow = await page.evaluate(measure, MEASURED_MS);
  // Other than the frame rate, this hardly depends on what else the computer does.
  const spent = 1000 * ((await processorTime()) - before);
  const seconds = MEASURED_MS / 1000;
  follow.page_ms_per_draw = Math.round((10 * spent) / (follow.draws_per_second * seconds)) / 10;
  console.log(
    `measured: plots of ${SIGNALS.length} signals over ${MINUTES} minutes: ${JSON.stringify(follow)}`,
  );
  check('they are drawn as they come', follow.draws_per_second > 0, follow);
  const bytes = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? null);
  check('the memory is measured', true, { heap_bytes: bytes });
  await page.context().close();
}
