/** Splits a text stream into server-sent events, wherever the chunks are cut. */

export class SseReader {
  private pending = '';
  private data: string[] = [];

  /** Adds a chunk and returns the data of the completed events. */
  push(chunk: string): string[] {
    const lines = (this.pending + chunk).split(/\r\n|\n|\r(?!$)/);
    this.pending = lines.pop() ?? '';
    const events: string[] = [];
    for (const line of lines) {
      if (line === '' && this.data.length > 0) {
        events.push(this.data.join('\n'));
        this.data = [];
      } else if (line.startsWith('data:')) {
        this.data.push(line.slice(5).replace(/^ /, ''));
      }
    }
    return events;
  }
}
