/** Stores settings in the browser, if the browser permits it. */

const PREFIX = 'minismith.';

export function load(key: string, scope: 'always' | 'tab' = 'always'): string | null {
  try {
    return (scope === 'tab' ? sessionStorage : localStorage).getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** Saves a value; `null` deletes it. */
export function save(key: string, value: string | null, scope: 'always' | 'tab' = 'always'): void {
  try {
    const store = scope === 'tab' ? sessionStorage : localStorage;
    if (value === null) store.removeItem(PREFIX + key);
    else store.setItem(PREFIX + key, value);
  } catch {
    // Then the value lasts only as long as the page.
  }
}
