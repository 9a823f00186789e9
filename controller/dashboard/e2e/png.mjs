/** Shrinks a screenshot: converts a true-colour PNG to one with a palette of its 256 most important colours. */

import { deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const COLOURS = 256;

/** The CRC-32 of a chunk; Node itself provides it only since version 20.15. */
const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let word = byte;
  for (let bit = 0; bit < 8; bit += 1) word = word & 1 ? 0xedb88320 ^ (word >>> 1) : word >>> 1;
  return word >>> 0;
});
const checksum = (bytes) =>
  (bytes.reduce((word, byte) => TABLE[(word ^ byte) & 255] ^ (word >>> 8), 0xffffffff) ^
    0xffffffff) >>>
  0;

function chunks(png) {
  const all = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    all.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return all;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(checksum(body));
  return Buffer.concat([length, body, sum]);
}

/** Returns the pixels, three or four bytes each, of a PNG as browsers write it. */
function pixels(png) {
  const all = chunks(png);
  const head = all[0].data;
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const [depth, kind, , , interlaced] = head.subarray(8);
  if (depth !== 8 || (kind !== 2 && kind !== 6) || interlaced !== 0) throw new Error('no such PNG');
  const size = kind === 2 ? 3 : 4;
  const raw = inflateSync(
    Buffer.concat(all.filter(({ type }) => type === 'IDAT').map(({ data }) => data)),
  );
  const line = width * size;
  const out = Buffer.alloc(line * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (line + 1)];
    for (let x = 0; x < line; x += 1) {
      const left = x >= size ? out[y * line + x - size] : 0;
      const up = y > 0 ? out[(y - 1) * line + x] : 0;
      const corner = x >= size && y > 0 ? out[(y - 1) * line + x - size] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      out[y * line + x] = raw[y * (line + 1) + 1 + x] + guess;
    }
  }
  return { width, height, size, bytes: out };
}

function paeth(left, up, corner) {
  const all = [left, up, corner].map((one) => Math.abs(left + up - corner - one));
  if (all[0] <= all[1] && all[0] <= all[2]) return left;
  return all[1] <= all[2] ? up : corner;
}

/** Returns the same image with at most 256 colours. */
export function reducePalette(png) {
  const { width, height, size, bytes } = pixels(png);
  // Nearly equal colours count as one.
  const bins = new Map();
  const binOf = (at) =>
    ((bytes[at] >> 3) << 10) | ((bytes[at + 1] >> 3) << 5) | (bytes[at + 2] >> 3);
  for (let at = 0; at < bytes.length; at += size) {
    const bin = binOf(at);
    const one = bins.get(bin) ?? { count: 0, sums: [0, 0, 0] };
    one.count += 1;
    for (let part = 0; part < 3; part += 1) one.sums[part] += bytes[at + part];
    bins.set(bin, one);
  }
  const common = [...bins.values()].sort((one, other) => other.count - one.count).slice(0, COLOURS);
  const palette = common.map(({ count, sums }) => sums.map((sum) => Math.round(sum / count)));
  const places = new Map();
  for (const [bin, { count, sums }] of bins) {
    const own = sums.map((sum) => sum / count);
    const far = palette.map((colour) =>
      colour.reduce((sum, part, at) => sum + (part - own[at]) ** 2, 0),
    );
    places.set(bin, far.indexOf(Math.min(...far)));
  }
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      lines[y * (width + 1) + 1 + x] = places.get(binOf((y * width + x) * size));
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
