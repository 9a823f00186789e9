/** Lays out the page: the header, the navigation and the open view. */

import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Connection, StaleBar } from './components/connection';
import { Icon } from './components/icons';
import { path, route, VIEWS, type View } from './components/route';
import { Settings, settingsOpen } from './components/settings';
import { StopButton, StopOutcome } from './components/stop-button';
import { controlRequests, fleetName } from './net/live';
import { base, token } from './net/robots';
import { tourStep } from './net/tour';
import { lazy } from './components/lazy';
import { RobotView } from './views/robot';
import { TalkView } from './views/talk';
import { language, messages } from './i18n';

const ControlRequest = lazy(() => import('./components/control-request'));
const Tour = lazy(() => import('./components/tour'));

/** Most people begin with the robot or the conversation. The other views are loaded when they are opened. */
const PAGES: Record<View, preact.ComponentType> = {
  robot: RobotView,
  talk: TalkView,
  tools: lazy(() => import('./views/tools')),
  drive: lazy(() => import('./views/drive')),
  plots: lazy(() => import('./plots/view')),
  journal: lazy(() => import('./views/journal')),
  health: lazy(() => import('./views/health')),
  fleet: lazy(() => import('./views/fleet')),
};

export function App() {
  const w = messages.value;
  const { view, rest } = route.value;
  // Before the view scrolls to where it begins.
  useLayoutEffect(() => scrollTo(0, 0), [view, rest.join('/')]);
  useEffect(() => {
    document.documentElement.lang = language.value;
    document.title = `${w.views[view]} · ${w.title}`;
  }, [language.value, view]);
  const Page = PAGES[view];
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={skip}>
        {w.skip}
      </a>
      <header class="top">
        <div class="brand">
          <h1>{w.title}</h1>
          {base.value !== '' && <span class="brand-robot">{new URL(base.value).host}</span>}
        </div>
        <Connection />
        <button
          type="button"
          class="plain"
          aria-label={w.settings.open}
          title={w.settings.open}
          onClick={() => (settingsOpen.value = true)}
        >
          <Icon name="settings" />
        </button>
        <StopButton />
      </header>
      <StopOutcome />
      <nav class="nav" aria-label={w.title}>
        {shownViews().map((one) => (
          <a key={one} href={path(one)} aria-current={one === view ? 'page' : undefined}>
            <Icon name={one} />
            <span>{w.views[one]}</span>
          </a>
        ))}
      </nav>
      <main id="content" class="content" tabIndex={-1}>
        <StaleBar />
        {controlRequests.value.length > 0 && <ControlRequest />}
        {tourStep.value !== null && <Tour />}
        <Page key={`${base.value} ${token.value}`} />
      </main>
      <Settings />
    </div>
  );
}

/** Only the server of an operator of a fleet has the view of the fleet. */
const shownViews = () =>
  VIEWS.filter((one) => one !== 'fleet' || typeof fleetName.value === 'string');

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
