/** Gives a tool to others: as a signed file, or to the robots of a fleet. */

import { useEffect, useState } from 'preact/hooks';
import { exportTool, type Exported } from '../net/bundles';
import { fleetName } from '../net/live';
import { messages } from '../i18n';
import { download, Outcome, RoleButton } from './basics';
import { path } from './route';

export function ShareTool({ name }: { name: string }) {
  const w = messages.value.tools.bundle;
  const [exported, setExported] = useState<Exported | null>(null);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  useEffect(() => (setExported(null), setError('')), [name]);
  const save = async () => {
    setBusy(true);
    const answer = await exportTool(name);
    setBusy(false);
    setExported(answer.ok ? answer.value : null);
    setError(answer.ok ? '' : answer.detail);
    if (answer.ok) download(`${name}.bundle`, 'application/json', answer.value.file);
  };
  return (
    <section class="share" aria-label={w.share}>
      <h3>{w.share}</h3>
      <p class="note">{w.shareIntro}</p>
      <div class="buttons">
        <RoleButton action="manage" disabled={busy} onClick={() => void save()}>
          {w.export}
        </RoleButton>
        {typeof fleetName.value === 'string' && (
          <a class="button" href={path('fleet')}>
            {w.toFleet}
          </a>
        )}
      </div>
      {error !== '' && <Outcome bad text={error} />}
      {exported !== null && (
        <>
          <Outcome
            text={w.exported(
              `${name}.bundle`,
              exported.tools.map((tool) => `${tool.name} v${tool.version}`).join(', '),
            )}
          />
          <p class="note">
            {w.signedBy} <span class="mono signer">{exported.signer}</span>
          </p>
        </>
      )}
    </section>
  );
}
