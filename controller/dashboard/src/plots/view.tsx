/** The plots, their time and their runs. Loaded on first use. */

import { useEffect } from 'preact/hooks';
import { fetchDetections } from '../net/camera';
import { detectionCount, recordHistory } from '../net/history';
import { plotTelemetry } from '../net/live';
import { messages } from '../i18n';
import { Card } from '../components/basics';
import { NoteList } from '../components/replay-notes';
import { followTheme } from './colours';
import { LayoutBar } from './layout-bar';
import { PlotCard } from './plot-card';
import { PosePanel } from './pose';
import { RunsCard } from './runs-card';
import { cursor, extent, isLive, layout, run, slowTick } from './state';
import { TimeBar } from './time-bar';
import '../style/plots.css';

/** The interval between object detections, milliseconds. */
const DETECT_INTERVAL_MS = 1000;

export default function PlotsPage() {
  const w = messages.value.plots;
  useEffect(() => {
    recordHistory();
    const ends = [plotTelemetry(), followTheme()];
    return () => ends.forEach((end) => end());
  }, []);
  const { columns, plots } = layout.value;
  const wantsDetections =
    isLive.value && plots.some(({ signals }) => signals.includes('camera.detections'));
  useEffect(() => {
    if (!wantsDetections) return;
    const ending = new AbortController();
    void detect(ending.signal);
    return () => ending.abort();
  }, [wantsDetections]);
  return (
    <div class="view plots-view">
      <div class="plots-side">
        <RunsCard />
        <PosePanel />
      </div>
      <div class="plots-main">
        <section class="card" aria-label={w.time}>
          <TimeBar />
        </section>
        <Waiting />
        <div class={`plot-grid ${columns === 2 ? 'has-two-columns' : ''}`}>
          {plots.map((plot, at) => (
            <PlotCard key={plot.id} plot={plot} number={at + 1} />
          ))}
        </div>
        <Notes />
        <section class="card" aria-label={w.layout}>
          <LayoutBar />
        </section>
      </div>
    </div>
  );
}

/** Says that there is nothing to plot yet. */
function Waiting() {
  if (isLive.value) void slowTick.value;
  return extent() === null ? <p class="note">{messages.value.plots.waiting}</p> : null;
}

/** Lists what the motion of the run must do; each entry moves the cursor to its time. */
function Notes() {
  const notes = run.value?.notes ?? [];
  if (notes.length === 0) return null;
  return (
    <Card title={messages.value.tools.expectations.inMotion} class="replay-notes">
      <NoteList all={notes} onSelect={(at_s) => (cursor.value = at_s)} />
    </Card>
  );
}

/** Counts the objects before the camera, as long as somebody plots them. */
async function detect(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetchDetections(signal);
    if (signal.aborted) break;
    detectionCount.value = answer.ok ? answer.value.objects.length : null;
    await new Promise((done) => setTimeout(done, DETECT_INTERVAL_MS));
  }
  detectionCount.value = null;
}
