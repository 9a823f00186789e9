/** What this browser remembers of the page, where it lets a page remember anything. */

const NAME = 'minismith.';

export function recall(key: string, until: 'always' | 'tab' = 'always'): string | null {
  try {
    return (until === 'tab' ? sessionStorage : localStorage).getItem(NAME + key);
  } catch {
    return null;
  }
}

/** Nothing (`null`) forgets it. */
export function remember(
  key: string,
  value: string | null,
  until: 'always' | 'tab' = 'always',
): void {
  try {
    const store = until === 'tab' ? sessionStorage : localStorage;
    if (value === null) store.removeItem(NAME + key);
    else store.setItem(NAME + key, value);
  } catch {
    // Then it is forgotten with the page.
  }
}
