/** Replays the last seconds: the robot in 3D, the camera image, and where the limits held something back. */

import { useEffect, useState } from 'preact/hooks';
import { duration } from '../logic/replay-timeline';
import type { Past } from '../logic/past';
import { rememberPast, takePast } from '../net/past';
import { formatNumber, messages } from '../i18n';
import { Card } from './basics';
import { ReplayView } from './replay';

export function PastCard() {
  const w = messages.value.drive.past;
  const [past, setPast] = useState<Past | null>(null);
  const [isEmpty, setIsEmpty] = useState(false);
  useEffect(rememberPast, []);
  const open = () => {
    const taken = takePast();
    setPast(taken);
    setIsEmpty(taken === null);
  };
  return (
    <Card
      title={w.title}
      class="past-card"
      aside={
        <button type="button" onClick={past === null ? open : () => setPast(null)}>
          {past === null ? w.open : w.back}
        </button>
      }
    >
      {past === null ? (
        <p class="note" role="status">
          {isEmpty ? w.empty : w.hint}
        </p>
      ) : (
        <PastReplay past={past} />
      )}
    </Card>
  );
}

function PastReplay({ past }: { past: Past }) {
  const w = messages.value.drive.past;
  const end = duration(past.motion);
  const part = (at_s: number) => (end > 0 ? (100 * at_s) / end : 0);
  const texts = {
    title: w.title,
    badge: w.badge,
    position: w.position,
    time: (at_s: number) => w.time(formatNumber(end - at_s, 1)),
  };
  const track = (
    <span class="past-spans" aria-hidden="true">
      {past.limited.map(({ from_s, to_s }) => (
        <span
          key={from_s}
          style={{ left: `${part(from_s)}%`, width: `max(3px, ${part(to_s - from_s)}%)` }}
        />
      ))}
    </span>
  );
  return (
    <ReplayView
      replay={past.motion}
      kind="past"
      texts={texts}
      clampsAt={(at_s) => past.clampsAt(at_s)}
      track={track}
    >
      {(at_s) => <Moment past={past} at_s={at_s} />}
    </ReplayView>
  );
}

/** The camera image of a moment, and what was held back. */
function Moment({ past, at_s }: { past: Past; at_s: number }) {
  const w = messages.value;
  const image = past.imageAt(at_s);
  const axes = past.frameAt(at_s).limited ?? [];
  return (
    <figure class="past-image">
      {image === null ? (
        <p class="note">{w.drive.past.noImage}</p>
      ) : (
        <JpegImage jpeg={image.jpeg} alt={w.drive.past.image} />
      )}
      <figcaption class={axes.length > 0 ? 'is-warn' : ''}>
        {axes.length > 0 &&
          w.drive.limited.axis(w.drive.limited.title, axes.map((axis) => w.axes[axis]).join(', '))}
      </figcaption>
    </figure>
  );
}

function JpegImage({ jpeg, alt }: { jpeg: Blob; alt: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(jpeg);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [jpeg]);
  return url === undefined ? null : <img src={url} alt={alt} />;
}
