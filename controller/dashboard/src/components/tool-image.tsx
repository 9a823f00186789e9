/** The image of a tool's rehearsal. */

import { useEffect, useState } from 'preact/hooks';
import { requestFile } from '../net/http';
import { messages } from '../i18n';

interface ToolImageProps {
  name: string;
  version: number;
}

/** Loads the image; `null` until it is there, and if there is none. */
export function useToolImage({ name, version }: ToolImageProps): string | null {
  const [image, setImage] = useState<string | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    let url: string | null = null;
    const path = `/api/v1/tools/${encodeURIComponent(name)}/files/picture?version=${version}`;
    void requestFile(path, { signal: ending.signal }).then((answer) => {
      if (ending.signal.aborted || !answer.ok) return;
      // A browser runs no scripts of an SVG that is shown as an image.
      url = URL.createObjectURL(new Blob([answer.value], { type: 'image/svg+xml' }));
      setImage(url);
    });
    return () => {
      ending.abort();
      if (url !== null) URL.revokeObjectURL(url);
      setImage(null);
    };
  }, [name, version]);
  return image;
}

export function ToolThumbnail(of: ToolImageProps) {
  const image = useToolImage(of);
  return (
    <span class="thumbnail">
      {image !== null && <img src={image} alt={messages.value.tools.image(of.name, of.version)} />}
    </span>
  );
}
