/** The images of the robots of a fleet. They are loaded one after another, so that connections stay free. */

import { effect, signal } from '@preact/signals';
import { nextPicture } from '../logic/fleet';
import { fleet, read } from './fleet';
import { requestFile } from './http';

const TIMEOUT_MS = 5000;

/** The address of each robot's image within the page, by the robot's name. */
export const pictures = signal<ReadonlyMap<string, string>>(new Map());

function replace(name: string, url: string | null): void {
  const old = pictures.value.get(name);
  const next = new Map(pictures.value);
  if (url === null) next.delete(name);
  else next.set(name, url);
  pictures.value = next;
  if (old !== undefined) URL.revokeObjectURL(old);
}

/** Loads each image that is new, until the signal aborts. Then it forgets all images. */
export async function loadPictures(ending: AbortSignal): Promise<void> {
  /** The number of the image that was last tried of each robot, the latest attempt last. */
  const tried = new Map<string, number>();
  while (!ending.aborted) {
    const robots = fleet.value?.state.robots ?? [];
    forgetOthers(new Set(robots.flatMap((one) => (one.picture === null ? [] : [one.name]))));
    const next = nextPicture(robots, tried);
    if (next === null) {
      await newState(ending);
      continue;
    }
    tried.delete(next.name);
    tried.set(next.name, next.picture);
    const path = `/api/v1/fleet/pictures/${encodeURIComponent(next.name)}`;
    const answer = await read(ending, (signal) =>
      requestFile(path, { signal, timeoutMs: TIMEOUT_MS }),
    );
    if (!ending.aborted && answer.ok)
      replace(next.name, URL.createObjectURL(new Blob([answer.value], { type: 'image/jpeg' })));
  }
  forgetOthers(new Set());
}

function forgetOthers(names: ReadonlySet<string>): void {
  for (const name of pictures.value.keys()) if (!names.has(name)) replace(name, null);
}

/** Resolves when another state of the fleet has arrived, or the signal aborts. */
async function newState(ending: AbortSignal): Promise<void> {
  const before = fleet.value;
  let end = () => {};
  await new Promise<void>((done) => {
    ending.addEventListener('abort', () => done(), { once: true });
    end = effect(() => {
      if (fleet.value !== before) done();
    });
  });
  end();
}
