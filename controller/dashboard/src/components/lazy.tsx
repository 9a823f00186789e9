/** A component whose code is loaded when it is shown for the first time. */

import type { ComponentType, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messages } from '../i18n';

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

export function lazy<Props extends object>(load: Load<Props>): (props: Props) => VNode {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [Component, setComponent] = useState<ComponentType<Props> | null>(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (Component !== null) return;
      load().then(
        (module) => {
          loaded = module.default;
          setComponent(() => module.default);
        },
        () => setFailed(true),
      );
    }, []);
    if (Component !== null) return <Component {...props} />;
    const w = messages.value.common;
    return (
      <p class={failed ? 'outcome is-bad' : 'note'}>{failed ? w.notLoaded : `${w.loading} …`}</p>
    );
  };
}
