#!/usr/bin/env node
/**
 * The fleet: robots with state and image, sentences to one and to all, stop and release, and tools that travel.
 *
 * The server is an operator `desk` of the fleet `lab` with two robots: `kitchen` in the group `dancers`, which publishes
 * images, and `hall`.
 */

import { accessibilityViolations, isLive, PHONE, show, test } from './lib.mjs';

await test(
  'fleet',
  async ({ check, eventually, open }) => {
    const page = await open();
    await show(page, 'robot');
    await eventually('the page is live', () => isLive(page));
    await page.locator('.nav').getByRole('link', { name: 'Fleet', exact: true }).click();
    await page.locator('.fleet-bar').waitFor();
    const robot = (name) =>
      page.locator('.fleet-robot', { has: page.getByRole('checkbox', { name, exact: true }) });
    const textOf = (name) => () => robot(name).textContent({ timeout: 500 });
    for (const name of ['kitchen', 'hall']) {
      await eventually(
        `${name} is shown with its state and temperature`,
        textOf(name),
        (text) => /holding|moving/.test(text) && /\d °C/.test(text),
      );
    }
    await eventually(
      'both robots are counted',
      () => page.locator('.fleet-bar-text').textContent(),
      (text) => text.includes('2 of 2 robots present'),
    );
    await eventually("kitchen's image is shown", () =>
      robot('kitchen')
        .locator('img')
        .evaluate((image) => image.naturalWidth, null, { timeout: 500 }),
    );

    const select = (name) => page.getByRole('checkbox', { name, exact: true });
    const isChecked = (name) => select(name).getAttribute('aria-checked', { timeout: 500 });
    await page.getByRole('button', { name: 'Group dancers' }).click();
    await eventually(
      'a group is selected',
      () => isChecked('kitchen'),
      (value) => value === 'true',
    );
    check('others are not', (await isChecked('hall')) === 'false');
    await page.getByRole('button', { name: 'None', exact: true }).click();
    // With the keyboard, since the space bar is STOP.
    await select('hall').focus();
    await page.keyboard.press('Enter');
    await eventually(
      'a robot is selected by Enter',
      () => isChecked('hall'),
      (v) => v === 'true',
    );
    check('only it is selected', (await isChecked('kitchen')) === 'false');

    const latest = page.locator('.fleet-answers > li').first();
    const answer = () => latest.textContent({ timeout: 500 });
    const say = async (sentence) => {
      await page.locator('.fleet-command textarea').fill(sentence);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
    };
    await say('look left 20 degrees');
    await eventually(
      'one robot carries out a sentence',
      answer,
      (text) => /hall\s*done/.test(text) && /look left 20/.test(text),
    );
    check('the other one was not asked', !(await answer()).includes('kitchen'), await answer());

    await page.getByRole('button', { name: 'All present' }).click();
    await page.getByRole('checkbox', { name: 'Begin together' }).click();
    await say('look right 10 degrees');
    await eventually(
      'all begin together',
      answer,
      (text) =>
        /kitchen\s*done/.test(text) && /hall\s*done/.test(text) && /within [\d.]+ ms/.test(text),
    );
    await page.getByRole('checkbox', { name: 'Begin together' }).click();

    await page.getByRole('button', { name: 'Stop all', exact: true }).click();
    await eventually(
      'a stop is confirmed',
      () => page.locator('.fleet-bar-text').textContent(),
      (text) => /Stop: 2 done/.test(text),
    );
    for (const name of ['kitchen', 'hall']) {
      await eventually(`${name} is shown as stopped, and by whom`, textOf(name), (text) =>
        text.includes('stopped by desk'),
      );
    }
    await say('nod');
    await eventually(
      'stopped robots refuse commands and say why',
      () => latest.locator('.fleet-reply').allTextContents(),
      (all) => all.length === 2 && all.every((text) => /(kitchen|hall)\s*refused\s*\S+/.test(text)),
    );
    await page.getByRole('button', { name: 'Release selected' }).click();
    await eventually(
      'they are released',
      answer,
      (text) => /Release/.test(text) && /kitchen\s*done/.test(text) && /hall\s*done/.test(text),
    );
    for (const name of ['kitchen', 'hall']) {
      await eventually(
        `${name} is no longer shown as stopped`,
        textOf(name),
        (text) => /holding|moving/.test(text) && !text.includes('stopped by'),
      );
    }

    const events = page.locator('.fleet-events > li');
    await eventually(
      'events are listed, the latest first',
      () => events.allTextContents(),
      (all) =>
        all.slice(0, 6).some((text) => text.includes('released')) &&
        all.some((text) => text.includes('stopped')) &&
        all.some((text) => text.includes('command done')),
    );

    await page.getByLabel('Tool', { exact: true }).fill('no_such_tool');
    const share = page.getByRole('button', { name: 'Share', exact: true });
    check('without a robot, nothing can be shared', await share.isDisabled());
    await page.getByLabel('Robot it comes from').selectOption('kitchen');
    await share.click();
    await eventually(
      'a tool that does not exist is not shared, and the page says why',
      async () => ({
        text: await answer(),
        isBad: await latest.locator('.is-bad').count(),
      }),
      ({ text, isBad }) => text.includes('no_such_tool') && isBad > 0,
    );
    await page.getByRole('button', { name: 'Withdraw …' }).click();
    const cancel = page.getByRole('button', { name: 'Cancel', exact: true });
    await eventually('withdrawing asks first', () =>
      page.getByText('Withdraw no_such_tool?').count(),
    );
    await cancel.click();
    await eventually(
      'and can be cancelled',
      () => cancel.count(),
      (n) => n === 0,
    );

    for (const colorScheme of ['light', 'dark']) {
      const phone = await open({
        viewport: { ...PHONE, width: 360 },
        hasTouch: true,
        isMobile: true,
        colorScheme,
      });
      await show(phone, 'fleet');
      await phone.locator('.fleet-robot').first().waitFor();
      const over = await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(`phone, ${colorScheme}: nothing is wider than the screen`, over <= 0, over);
      await phone.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      const isReached = () =>
        phone.evaluate(() => {
          const box = document.querySelector('.fleet-stop').getBoundingClientRect();
          const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
          return document.elementFromPoint(x, y)?.closest('.fleet-stop') !== null;
        });
      await eventually(`phone, ${colorScheme}: "Stop all" is in reach at the end`, isReached);
      const found = await accessibilityViolations(phone);
      check(`phone, ${colorScheme}: no accessibility violations`, found.length === 0, found);
      await phone.context().close();
    }
  },
  { tolerated: [/4\d\d.*\/api\/v1\/fleet\/share/] },
);
