/** What this browser remembers of the page, where it lets a page remember anything. */

const PREFIX = 'minismith.';

export function load(key: string, scope: 'always' | 'tab' = 'always'): string | null {
  try {
    return (scope === 'tab' ? sessionStorage : localStorage).getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** Nothing (`null`) forgets it. */
export function save(key: string, value: string | null, scope: 'always' | 'tab' = 'always'): void {
  try {
    const store = scope === 'tab' ? sessionStorage : localStorage;
    if (value === null) store.removeItem(PREFIX + key);
    else store.setItem(PREFIX + key, value);
  } catch {
    // Then it is forgotten with the page.
  }
}
