/** A line-by-line diff of two texts: the shortest edit script (Myers). */

export interface DiffLine {
  sign: ' ' | '+' | '-';
  text: string;
  /** The line number in the old and in the new text, from 1. */
  oldNumber: number | null;
  newNumber: number | null;
}

/** With more edits than this the diff replaces all lines. */
const MAX_EDITS = 4000;

export function diff(before: string, after: string): DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  const path = findPath(a, b);
  if (path === null) {
    return [
      ...a.map((text, at): DiffLine => ({ sign: '-', text, oldNumber: at + 1, newNumber: null })),
      ...b.map((text, at): DiffLine => ({ sign: '+', text, oldNumber: null, newNumber: at + 1 })),
    ];
  }
  const lines: DiffLine[] = [];
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
      lines.push({ sign: ' ', text: a[x] as string, oldNumber: x + 1, newNumber: y + 1 });
    }
    if (d === 0) break;
    if (down) {
      y -= 1;
      lines.push({ sign: '+', text: b[y] as string, oldNumber: null, newNumber: y + 1 });
    } else {
      x -= 1;
      lines.push({ sign: '-', text: a[x] as string, oldNumber: x + 1, newNumber: null });
    }
  }
  return lines.reverse();
}

/** Returns the furthest point on each diagonal before each edit, or `null` if there are too many edits. */
function findPath(a: string[], b: string[]): Map<number, number>[] | null {
  const path: Map<number, number>[] = [];
  const ends = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, MAX_EDITS); d += 1) {
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
