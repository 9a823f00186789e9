/** Splits an MJPEG stream into JPEG images. Each part has a header with `Content-Length`. */

/** The longest header of a part and the largest image, bytes. */
const MAX_HEADER_BYTES = 4096;
const MAX_IMAGE_BYTES = 32 << 20;

export class MjpegReader {
  private pending: Uint8Array = new Uint8Array();

  /** Adds a chunk and returns the completed images. Throws if the stream is malformed. */
  push(chunk: Uint8Array): Uint8Array[] {
    const all = new Uint8Array(this.pending.length + chunk.length);
    all.set(this.pending);
    all.set(chunk, this.pending.length);
    const images: Uint8Array[] = [];
    let at = 0;
    for (;;) {
      const end = headerEnd(all, at);
      if (end < 0) {
        if (all.length - at > MAX_HEADER_BYTES) throw new Error('a part of the stream has no head');
        break;
      }
      const header = new TextDecoder('latin1').decode(all.subarray(at, end));
      const length = Number(/content-length:\s*(\d+)/i.exec(header)?.[1] ?? NaN);
      if (!(length <= MAX_IMAGE_BYTES)) throw new Error('a part of the stream has no length');
      if (all.length < end + length) break;
      images.push(all.slice(end, end + length));
      at = end + length;
      // A line break follows the image.
      if (all[at] === 13 && all[at + 1] === 10) at += 2;
    }
    this.pending = all.slice(at);
    return images;
  }
}

/** Returns the index after the empty line that ends a header, or -1 if it has not arrived yet. */
function headerEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 3 < bytes.length; at += 1) {
    if (bytes[at] === 13 && bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) {
      // An empty line before the header belongs to the previous part.
      if (at === from) continue;
      return at + 4;
    }
  }
  return -1;
}
