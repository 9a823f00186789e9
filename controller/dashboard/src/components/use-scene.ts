/** The 3D scene on a canvas: loaded when first shown, as large as the canvas, and freed with the component. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { createScene, SceneView } from '../scene/scene';

export function useScene(kind: Parameters<typeof createScene>[1]) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [scene, setScene] = useState<SceneView | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let ended = false;
    let built: SceneView | null = null;
    const sizes = new ResizeObserver(() => {
      if (canvas.current) built?.resize(canvas.current.clientWidth, canvas.current.clientHeight);
    });
    void import('../scene/scene')
      .then((loaded) => {
        if (ended || canvas.current === null) return;
        built = loaded.createScene(canvas.current, kind);
        sizes.observe(canvas.current);
        setScene(built);
      })
      .catch(() => setFailed(true));
    return () => {
      ended = true;
      sizes.disconnect();
      built?.dispose();
      setScene(null);
    };
  }, []);
  return { canvas, scene, failed };
}
