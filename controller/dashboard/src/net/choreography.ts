/** The server's view of a tool as steps: reads a source, writes steps, and fits steps to a recorded motion. */

import type { Posture } from '../protocol/joints';
import type { Choreography, Score, Step, Targets } from '../protocol/score';
import { post, request, type Result } from './http';

const PATH = '/api/v1/choreography';

export const readSource = (source: string, signal: AbortSignal): Promise<Result<Choreography>> =>
  post<Choreography>(`${PATH}/read`, { source }, { signal });

export const writeScore = (score: Score, signal: AbortSignal): Promise<Result<Choreography>> =>
  post<Choreography>(`${PATH}/write`, { score }, { signal });

/** Where the robot was at one time, seconds. */
export interface RecordedSample {
  at_s: number;
  posture: Posture;
}

export const fitSteps = (
  samples: RecordedSample[],
): Promise<Result<{ steps: Step[]; tolerance: number }>> => post(`${PATH}/fit`, { samples });

export const fetchTargets = (signal: AbortSignal): Promise<Result<Targets>> =>
  request<Targets>(`${PATH}/targets`, { signal });

/** The beat of a sound; `null` if it has no regular one. Seconds. */
export interface SoundBeat {
  per_minute: number | null;
  first_s: number | null;
}

export const fetchBeat = (sound: string): Promise<Result<SoundBeat>> =>
  request<SoundBeat>(`${PATH}/beat?sound=${encodeURIComponent(sound)}`);

/** Lets a person guide the robot by hand, or lets the motors hold again. */
export const setGuided = (on: boolean): Promise<Result<unknown>> =>
  post(`/api/motors/set_mode/${on ? 'gravity_compensation' : 'enabled'}`);
