/** Sounds for tests: WAV files with a tone, and what the robot's speaker got. */

import { readFileSync } from 'node:fs';

/** The rate that the server prefers for a speaker. */
const SPEAKER_HZ = 24000;

/** Returns a second of a tone as a WAV file. */
export function wave(hz) {
  const rate = 16000;
  const file = Buffer.alloc(44 + 2 * rate);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + 2 * rate, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  // PCM with one channel of 16 bits.
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(2 * rate, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(2 * rate, 40);
  for (let at = 0; at < rate; at += 1)
    file.writeInt16LE(Math.round(12000 * Math.sin((2 * Math.PI * hz * at) / rate)), 44 + 2 * at);
  return file;
}

/** Returns the frequency of what a speaker wrote into a file of raw samples, its length in seconds, and its level. */
export function played(path) {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  const all = new Int16Array(buffer.slice(byteOffset, byteOffset + byteLength - (byteLength % 2)));
  // The device has no clock: between two parts of the sound it takes silence.
  const sound = all.filter((one, at) => one !== 0 || (all[at - 1] !== 0 && all[at + 1] !== 0));
  let [crossings, energy] = [0, 0];
  for (let at = 1; at < sound.length; at += 1) {
    if (sound[at] > 0 !== sound[at - 1] > 0) crossings += 1;
    energy += (sound[at] / 32768) ** 2;
  }
  const seconds = sound.length / SPEAKER_HZ;
  return { hz: crossings / 2 / seconds, seconds, level: Math.sqrt(energy / sound.length) };
}
