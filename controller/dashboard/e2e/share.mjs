#!/usr/bin/env node
/**
 * A tool goes from one controller to another as a signed file, by two pages: exported here, imported there, where it needs an
 * approval. Changed and foreign files are refused with a reason.
 *
 * `MINISMITH_SECOND` names the other server.
 */

import { accessibilityViolations, isLive, request, savedFile, show, test } from './lib.mjs';

const second = process.env.MINISMITH_SECOND;
if (!second) throw new Error('set MINISMITH_SECOND to the address of a second server');

const HOSTILE = '<img src=x onerror="window.hacked=1">.bundle';

const BOW = `from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def bow(robot: ReachyMini) -> str:
    """Bow the head.

    Args:
        robot: The robot.

    Returns:
        What was done.
    """
    robot.goto_target(head=create_head_pose(pitch=15.0), duration=0.8)
    robot.goto_target(head=create_head_pose(), duration=0.8)
    return "bowed"
`;

/** The same name, by somebody else. */
const OTHER_BOW = BOW.replace('pitch=15.0', 'pitch=10.0');

await test(
  'share',
  async ({ check, eventually, open }) => {
    const added = await request('/api/v1/tools', { method: 'POST', body: { code: BOW } });
    check('the tool is registered here', added.status === 201, added);
    const page = await open();
    await show(page, 'tools/bow');
    await eventually('the page is live', () => isLive(page));
    const { name, text } = await savedFile(page, () =>
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    );
    const { signer } = JSON.parse(text);
    check('the file has the name of the tool', name === 'bow.bundle', name);
    await eventually(
      'the page says what the file holds, and who signed it',
      () => page.locator('.share').textContent(),
      (shown) => shown.includes('bow v1') && shown.includes(signer),
    );

    const there = await open();
    await show(there, 'tools', second);
    await eventually('the other page is live', () => isLive(there));
    await there.getByRole('link', { name: 'Import', exact: true }).click();
    const input = there.locator('input[type="file"]');
    const give = (file, content) =>
      input.setInputFiles({ name: file, mimeType: '', buffer: Buffer.from(content) });
    const alert = there.getByRole('alert');

    await give(HOSTILE, text.replace('15.0', '16.0'));
    await eventually('a changed file is refused', () =>
      alert.filter({ hasText: 'changed after it was signed' }).count(),
    );
    await give('notes.bundle', 'not a bundle');
    await eventually('another file is refused', () =>
      alert.filter({ hasText: 'not a bundle' }).count(),
    );
    await give('large.bundle', ' '.repeat((16 << 20) + 1));
    await eventually('a file that is too large is refused', () =>
      alert.filter({ hasText: 'at most 16 MiB' }).count(),
    );
    const before = (await request('/api/v1/tools/bow', { base: second })).status;
    check('nothing was registered', before === 404, before);

    await give(name, text);
    const badge = there.locator('.plain-list li', { hasText: 'bow' });
    await eventually(
      'the tool is imported, and needs an approval',
      () => badge.textContent({ timeout: 500 }),
      (shown) => shown.includes('v1') && shown.includes('needs approval'),
    );
    await eventually('the signer is named as not trusted', () =>
      there.getByText('not trusted here').filter({ hasText: signer }).count(),
    );
    await eventually('the list shows the tool', () =>
      there.locator('.tool-list a[href="#/tools/bow"]').count(),
    );
    const violations = await accessibilityViolations(there);
    check('the page is accessible', violations.length === 0, violations);

    await badge.getByRole('link').click();
    await eventually('the approval says what it grants', () => there.locator('.grant').count());
    await there.getByRole('button', { name: 'Approve', exact: true }).click();
    await eventually('it is approved', () => there.getByText('Approved by').count());
    const run = await request('/api/v1/tools/bow/run', {
      base: second,
      method: 'POST',
      body: { args: {} },
    });
    check('it runs there', run.value?.performance?.value === 'bowed', run.value);

    // A tool of the same name by another author does not replace the one that is there.
    await request('/api/v1/tools', { base: second, method: 'POST', body: { code: OTHER_BOW } });
    await show(there, 'tools/+import', second);
    await give(name, text);
    await eventually('a tool of another author is not replaced', () =>
      alert.filter({ hasText: 'tool of another author' }).count(),
    );
    const hacked = await there.evaluate(() => window.hacked);
    check('no text became a script', hacked === undefined, hacked);
  },
  { tolerated: [/(413|422).*\/api\/v1\/bundles/, /404.*\/api\/v1\/tools\/bow/] },
);
