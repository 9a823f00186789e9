/** The entry point: applies the theme, connects to the robot and renders the page. */

import { render } from 'preact';
import { App } from './app';
import { afterFirstPaint } from './components/after-first-paint';
import { loadLanguage } from './i18n';
import { connect } from './net/link';
import { applyTheme } from './components/theme';
import './style/colours.css';
import './style/base.css';
import './style/shell.css';
import './style/settings.css';
import './style/views.css';
import './style/talk.css';
import './style/tools.css';
import './style/drive.css';
import './style/journal.css';

applyTheme();
connect();
// Who opens the plots wants to see what has just happened.
void afterFirstPaint()
  .then(() => import('./net/history'))
  .then(({ recordHistory }) => recordHistory())
  .catch(() => {});
// The page appears in its language, so that no text changes before the reader's eyes.
void loadLanguage().then(() => {
  const root = document.getElementById('app');
  if (root !== null) render(<App />, root);
});
