/** The messages of a recording, one JSON document per line, as far as the page reads them. */

import type { components } from '../../generated-types/openapi';

export type RecordingSummary = components['schemas']['RecordingSummary'];
export type RecordingList = components['schemas']['RecordingList'];

export type RecordingMessage =
  | {
      type: 'header';
      name: string;
      start_time?: string;
      period_s: number;
      motors: { name: string }[];
    }
  | {
      type: 'cycle';
      cycle: number;
      setpoint_deg?: number[];
      goal_deg: number[];
      present_deg: number[];
      clamps?: { motor: number; amount_deg: number }[];
    }
  | {
      type: 'motors';
      cycle: number;
      temperature_c: (number | null)[];
      voltage_v: (number | null)[];
      current_ma: (number | null)[];
      velocity_dps: (number | null)[];
    }
  | {
      type: 'control_loop';
      cycle: number;
      jitter_p50_us: number;
      jitter_p99_us: number;
      jitter_max_us: number;
      overruns: number;
    }
  | {
      type: 'image';
      cycle: number;
      jpeg: string;
      detections?: { label: string; score: number }[];
    }
  | { type: 'footer'; cycles: number }
  | { type: 'text' | 'span' };

/** Returns the message of a line, or `null` if it is none. */
export function parseMessage(line: string): RecordingMessage | null {
  try {
    const value: unknown = JSON.parse(line);
    const type = (value as { type?: unknown } | null)?.type;
    return typeof type === 'string' ? (value as RecordingMessage) : null;
  } catch {
    return null;
  }
}

/** Splits a stream of bytes into lines. */
export class LineReader {
  private readonly decoder = new TextDecoder();
  private rest = '';

  /** Returns the lines that are complete. An incomplete last line is never returned. */
  push(bytes: Uint8Array): string[] {
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n');
    this.rest = lines.pop() ?? '';
    return lines;
  }
}
