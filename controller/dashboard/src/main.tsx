/** The entry point: applies the theme, connects to the robot and renders the page. */

import { render } from 'preact';
import { App } from './app';
import { afterFirstPaint } from './components/after-first-paint';
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
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
