/** Says exactly what the approval of a version grants, and approves it. */

import { limits } from '../net/limits';
import type { ToolDetails } from '../protocol/responses';
import { formatAmount, formatNumber, formatTime, messages } from '../i18n';
import { RoleButton } from './basics';

/** How much of a hash is shown; people compare its beginning. */
const HASH_CHARACTERS = 12;

interface ToolApprovalProps {
  tool: ToolDetails;
  busy: boolean;
  onApprove: () => void;
}

export function ToolApproval({ tool, busy, onApprove }: ToolApprovalProps) {
  const w = messages.value.tools;
  const { manifest, approval, approved } = tool;
  if (approved) {
    return approval === null ? null : (
      <p class="note">
        {w.approvedBy(approval.by)}
        {approval.at > 0 && `, ${formatTime(approval.at)}`}
      </p>
    );
  }
  return (
    <section class="grant" aria-label={w.grants.title}>
      <h3>{w.grants.title}</h3>
      <ul>
        {grants(tool).map((grant) => (
          <li key={grant}>{grant}</li>
        ))}
      </ul>
      <p class="note">{w.grants.scope(manifest.version)}</p>
      <RoleButton action="approve" class="primary" disabled={busy} onClick={onApprove}>
        {w.approve}
      </RoleButton>
    </section>
  );
}

/** Lists what an approval grants, a sentence each. */
function grants({ manifest }: ToolDetails): string[] {
  const w = messages.value.tools.grants;
  const { version, capabilities, code_sha256: hash, verified_range: ranges = {} } = manifest;
  const scale = limits.value?.unapproved_tool_scale;
  const range = ({ min, max }: { min?: number | null; max?: number | null }) =>
    w.range(
      min === undefined || min === null ? '–∞' : formatAmount(min),
      max === undefined || max === null ? '∞' : formatAmount(max),
    );
  const verified = Object.entries(ranges).map(([name, one]) => `${name} ${range(one)}`);
  return [
    hash === undefined ? w.version(version) : w.code(version, hash.slice(0, HASH_CHARACTERS)),
    scale === undefined ? w.fullSpeed : w.speed(formatNumber(100 * scale)),
    ...(manifest.needs_approval ? [w.realMotors] : []),
    w.capabilities(capabilities.join(', ') || messages.value.common.none),
    ...(verified.length > 0 ? [w.beyond(verified.join(', '))] : []),
  ];
}
