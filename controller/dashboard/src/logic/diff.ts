/** What differs between two texts, line by line: the shortest way from one to the other (Myers). */

export interface Line {
  sign: ' ' | '+' | '-';
  text: string;
  /** Its number in the first and in the second text, from 1. */
  was: number | null;
  is: number | null;
}

/** Beyond so many lines that differ, everything is told as exchanged. */
const MOST = 4000;

export function diff(before: string, after: string): Line[] {
  const a = before.split('\n');
  const b = after.split('\n');
  const path = trace(a, b);
  if (path === null) {
    return [
      ...a.map((text, at): Line => ({ sign: '-', text, was: at + 1, is: null })),
      ...b.map((text, at): Line => ({ sign: '+', text, was: null, is: at + 1 })),
    ];
  }
  const lines: Line[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = path.length - 1; x > 0 || y > 0; d -= 1) {
    const ends = path[d] as Map<number, number>;
    const k = x - y;
    const down = k === -d || (k !== d && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1));
    const from = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : (ends.get(from) ?? 0);
    const fromY = d === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      lines.push({ sign: ' ', text: a[x] as string, was: x + 1, is: y + 1 });
    }
    if (d === 0) break;
    if (down) {
      y -= 1;
      lines.push({ sign: '+', text: b[y] as string, was: null, is: y + 1 });
    } else {
      x -= 1;
      lines.push({ sign: '-', text: a[x] as string, was: x + 1, is: null });
    }
  }
  return lines.reverse();
}

/** For each number of edits, how far each diagonal had come before it; `null` when there are too many. */
function trace(a: string[], b: string[]): Map<number, number>[] | null {
  const path: Map<number, number>[] = [];
  const ends = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, MOST); d += 1) {
    path.push(new Map(ends));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1));
      let x = down ? (ends.get(k + 1) ?? 0) : (ends.get(k - 1) ?? 0) + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x += 1;
        y += 1;
      }
      ends.set(k, x);
      if (x >= a.length && y >= b.length) return path;
    }
  }
  return null;
}
