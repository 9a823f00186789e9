/** The plots. They are loaded on first use. */

import { useEffect, useState } from 'preact/hooks';
import { messages } from '../i18n';

type Page = () => preact.JSX.Element;

let loaded: Page | null = null;

export function PlotsView() {
  const w = messages.value;
  const [page, setPage] = useState<{ page: Page | null; failed: boolean }>({
    page: loaded,
    failed: false,
  });
  useEffect(() => {
    let ended = false;
    void import('../plots/view').then(
      ({ default: view }) => {
        loaded = view;
        if (!ended) setPage({ page: view, failed: false });
      },
      () => !ended && setPage({ page: null, failed: true }),
    );
    return () => void (ended = true);
  }, []);
  if (page.page !== null) return <page.page />;
  return (
    <div class="view">
      <p class="note" role="status">
        {page.failed ? w.plots.notLoaded : `${w.common.loading} …`}
      </p>
    </div>
  );
}
