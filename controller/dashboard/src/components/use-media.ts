/** Whether the window satisfies a media query. */

import { useEffect, useState } from 'preact/hooks';

export function useMedia(text: string): boolean {
  const [query] = useState(() => matchMedia(text));
  const [isMatch, setIsMatch] = useState(query.matches);
  useEffect(() => {
    const change = () => setIsMatch(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, [query]);
  return isMatch;
}
