#!/usr/bin/env node
/**
 * The timeline of a tool, from a fresh start to the robot: add, drag, stretch, copy, repeat, cut, set to a tempo, edit by keys and by
 * hand; the source follows, and what is typed shows. What would break a limit is named; what breaks a rule is not kept.
 */

import {
  accessibilityViolations,
  DESKTOP,
  isLive,
  pageWidth,
  posture,
  request,
  rest,
  server,
  show,
  swing,
  test,
} from './lib.mjs';

/** Uploads a sound with a drum that beats `perMinute` times from the second `first`. */
async function upload(name, perMinute, first) {
  const rate = 16_000;
  const samples = new Int16Array(10 * rate);
  for (let at = first; at < 10; at += 60 / perMinute) {
    for (let i = 0; i < rate / 8 && at * rate + i < samples.length; i += 1) {
      const wave = Math.exp((-30 * i) / rate) * Math.sin((2 * Math.PI * 90 * i) / rate);
      samples[Math.round(at * rate) + i] = 20_000 * wave;
    }
  }
  const header = new DataView(new ArrayBuffer(44));
  const text = (at, word) => [...word].forEach((c, i) => header.setUint8(at + i, c.charCodeAt(0)));
  text(0, 'RIFF');
  header.setUint32(4, 36 + samples.byteLength, true);
  text(8, 'WAVEfmt ');
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, rate, true);
  header.setUint32(28, 2 * rate, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  text(36, 'data');
  header.setUint32(40, samples.byteLength, true);
  const form = new FormData();
  form.append('file', new Blob([header.buffer, samples.buffer], { type: 'audio/wav' }), name);
  const response = await fetch(`${server()}/api/media/sounds/upload`, {
    method: 'POST',
    body: form,
  });
  if (!response.ok) throw new Error(`the sound is not stored: ${await response.text()}`);
}

await test('timeline', async ({ check, eventually, open }) => {
  await rest();
  const page = await open();
  await show(page, 'tools');
  await eventually('the page is live', () => isLive(page));
  await page.getByRole('link', { name: 'New tool' }).click();
  await page.locator('.cm-content').waitFor();
  await page.getByRole('button', { name: 'Timeline', exact: true }).click();
  await eventually('another source is named, with a way on', () =>
    page.getByText('This code is not.').count(),
  );
  await page.getByRole('button', { name: 'Start a motion' }).click();
  const blocks = page.locator('.timeline-block');
  const source = () => page.locator('.cm-content').evaluate((code) => code.innerText);
  await eventually(
    'the steps stand on the timeline',
    () => blocks.count(),
    (n) => n === 2,
  );
  const named = (text) => blocks.filter({ hasText: text });
  const select = (text) => named(text).first().click();
  const tool = (name) => page.getByRole('button', { name, exact: true });
  const field = (name) => page.locator('.timeline-inspector').getByLabel(name, { exact: true });

  /** Enters a text as a person does: a value that a script sets is no change. */
  const enterInto = async (input, text) => {
    await input.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  };
  const enter = (name, text) => enterInto(field(name), text);

  // Add at the same time, and drag the new step to a later time.
  await select('left 20');
  await page.getByLabel('New step').selectOption('antennas');
  await tool('Add at the same time').click();
  await eventually(
    'a step that is added beside another one runs together with it',
    source,
    (text) => /together\(\s*head\(left=20.*antennas\(both=30/s.test(text),
  );
  const drag = async (text, by, { edge = false } = {}) => {
    await named(text).first().scrollIntoViewIfNeeded();
    const box = await named(text).first().boundingBox();
    const x = edge ? box.x + box.width - 3 : box.x + box.width / 2;
    await page.mouse.move(x, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(x + by / 2, box.y + box.height / 2, { steps: 4 });
    await page.mouse.move(x + by, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
  };
  await drag('both 30', 40);
  await eventually('a step that is dragged to a later time gets a wait before it', source, (text) =>
    /sequence\(wait\(0\.5\), antennas\(both=30/.test(text),
  );
  await drag('left 20', 32, { edge: true });
  await eventually('a step that is dragged at its edge takes longer', source, (text) =>
    /head\(left=20, seconds=1\.2\)/.test(text),
  );

  // Keys: copy, stretch, undo.
  await select('left 20');
  await page.keyboard.press('Shift+ArrowRight');
  await eventually('a key stretches the step', source, (text) => /seconds=1\.3\)/.test(text));
  await page.keyboard.press('Control+z');
  await eventually('and another one takes it back', source, (text) => /seconds=1\.2\)/.test(text));

  // The inspector: course and amount.
  await select('left 20');
  await field('Course').selectOption('linear');
  await eventually('the course is written', source, (text) => /easing="linear"/.test(text));
  await field('Head pitch').first().check();
  const pitch = page.locator('.timeline-dial').filter({ hasText: 'Head pitch' });
  await pitch.locator('input[type=range]').fill('12');
  await eventually('and how far each axis goes, in words', source, (text) =>
    /head\(left=20, up=12/.test(text),
  );

  // Limits while editing.
  await eventually('the plan is within the limits', () =>
    page.getByText('Within the safety limits.').count(),
  );
  await page.getByLabel('New step').selectOption('body');
  await select('neutral');
  await tool('Add after').click();
  await eventually(
    'a step is added after the selected one',
    () => named('left 20').count(),
    (n) => n === 2,
  );
  await named('left 20').last().click();
  await enter('Duration, s', '0.1');
  await eventually('what the envelope would hold back is named while editing', () =>
    page.locator('.timeline-clamps li', { hasText: /body_rotation: .*° held back/ }).count(),
  );
  check(
    'the step is marked',
    (await blocks.evaluateAll(
      (all) => all.filter((one) => one.classList.contains('is-clamped')).length,
    )) > 0,
  );
  const violations = await accessibilityViolations(page);
  check('the timeline is accessible', violations.length === 0, violations);
  await page.emulateMedia({ colorScheme: 'dark' });
  const inDark = await accessibilityViolations(page);
  check('also in dark colours', inDark.length === 0, inDark);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 740 });
  const width = await pageWidth(page);
  check('it fits a phone', width <= 360, width);
  await page.setViewportSize(DESKTOP);
  await enter('Duration, s', '1');
  await eventually('a longer duration is within the limits again', () =>
    page.getByText('Within the safety limits.').count(),
  );

  // Repeat, tempo, cut, delete.
  await tool('Repeat').click();
  await eventually('a loop stands around the step', source, (text) =>
    /repeat\(2, body\(left=20, seconds=1\)\)/.test(text),
  );
  await enter('Times', '3');
  await eventually('it runs three times', source, (text) => /repeat\(3, body/.test(text));
  await enterInto(page.getByLabel('Beats per minute'), '60');
  await tool('Set to tempo').click();
  await eventually('durations are whole half beats', source, (text) =>
    [...text.matchAll(/seconds=([\d.]+)/g)].every(([, one]) => (Number(one) * 2) % 1 === 0),
  );
  const before = await source();
  await page.locator('.timeline-bracket', { hasText: '3 ×' }).click();
  await page.keyboard.press('Delete');
  await eventually('a key deletes the loop', source, (text) => !/repeat/.test(text));
  await page.getByRole('slider', { name: 'Time that is shown' }).focus();
  const ruler = await page.getByRole('slider', { name: 'Time that is shown' }).boundingBox();
  await page.mouse.click(ruler.x + 0.9 * 80, ruler.y + 8);
  await eventually(
    'a click on the ruler shows the robot at that time',
    () => page.locator('.timeline-robot .replay-time').textContent(),
    (text) => /^0\.9/.test(text.trim()),
  );
  await tool('Cut after the cursor').click();
  await eventually('what runs after the cursor is cut', source, (text) => !/neutral\(s/.test(text));
  await tool('Undo').click();
  await tool('Undo').click();
  await eventually('both can be taken back', source, (text) => text === before);

  // The beat of a sound: hits at 96 beats per minute, from 0.25 s.
  await upload('drum.wav', 96, 0.25);
  await page.locator('.timeline-bracket', { hasText: 'at the same time' }).click();
  await page.getByLabel('New step').selectOption('sound');
  await tool('Add after').click();
  await eventually('a sound is added', () => named('wake_up.wav').count());
  await select('wake_up.wav');
  await enter('sound', 'drum.wav');
  await eventually('with the name that is entered', source, (text) =>
    /sound\("drum\.wav"\)/.test(text),
  );
  await tool('Set to the sound').click();
  await eventually('durations become half beats of the sound, from its first one', source, (text) =>
    /sound\("drum\.wav"\),\s*wait\(0\.2[3-7]\),\s*neutral\(seconds=(0\.6[23]|0\.9[34])\)/.test(
      text,
    ),
  );
  for (let edits = 0; edits < 3; edits += 1) {
    const text = await source();
    await tool('Undo').click();
    await eventually('an edit is taken back', source, (now) => now !== text);
  }
  check('all three are', (await source()) === before);

  // What breaks a rule is not kept.
  await page.locator('.timeline-bracket', { hasText: 'at the same time' }).click();
  await page.getByLabel('New step').selectOption('head');
  await tool('Add at the same time').click();
  await eventually(
    'two steps for the same part at once are not kept, and the rule is named',
    () => page.locator('.timeline .outcome.is-bad').textContent(),
    (text) => /head/.test(text),
  );
  check('the source is as before', (await source()) === before);

  // What is typed shows.
  const name = `timeline_${Date.now() % 100000}`;
  const retype = async (part, by) => {
    const line = page.locator('.cm-line').filter({ hasText: part }).first();
    const text = (await line.innerText()).trim();
    await line.click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.type(text.replace(part, by));
  };
  await retype('my_motion', name);
  await retype('left=20', 'left=31');
  await eventually('what is typed is on the timeline', () => named('left 31').count());

  // By hand: here the robot is moved by a sentence while the page records.
  await tool('Record what the robot does').click();
  const turning = request('/api/v1/chat', {
    method: 'POST',
    body: { text: 'turn your body right 30 degrees' },
  });
  await turning;
  await eventually('the robot has turned', posture, ({ body_yaw_deg }) => body_yaw_deg < -29.5);
  await page.locator('.timeline-recorder button.primary').click();
  await eventually('a recorded motion becomes steps', () =>
    page.locator('.timeline-recorder .outcome', { hasText: /added, within/ }).count(),
  );
  await eventually('they are written', source, (text) => /body\(right=(29|30|31)/.test(text));

  // From the page to the robot.
  await eventually('the tool passes its checks', () =>
    page.locator('.outcome', { hasText: 'Passed.' }).count(),
  );
  await page.locator('.card-head button.primary').click();
  await eventually('it is added', () => page.url().endsWith(name));
  const turned = swing(posture, 'body_yaw_deg', 8000);
  const { value } = await request(`/api/v1/tools/${name}/run`, {
    method: 'POST',
    body: { args: {} },
  });
  check('the tool runs', value?.performance?.ended === 'returned', value);
  const range = await turned;
  check('and the robot turns as it was recorded', range > 24, range);
});
