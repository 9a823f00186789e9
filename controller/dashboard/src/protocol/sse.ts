/** Server-sent events out of a stream of text, however it is cut. */

export class SseReader {
  private pending = '';
  private data: string[] = [];

  /** The data of the events that end in this piece. */
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
