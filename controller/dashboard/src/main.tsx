/** The entry point: applies the theme, connects to the robot and renders the page. */

import { render } from 'preact';
import { App } from './app';
import { connect } from './net/link';
import { applyTheme } from './components/theme';
import './style/colours.css';
import './style/base.css';
import './style/shell.css';
import './style/settings.css';
import './style/views.css';
import './style/tools.css';
import './style/drive.css';
import './style/journal.css';

applyTheme();
connect();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
