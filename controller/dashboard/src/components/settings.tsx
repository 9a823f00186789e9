/** The settings: robot, token, theme and language. */

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { link, access } from '../net/live';
import * as robots from '../net/robots';
import { setTourStep } from '../net/tour';
import { whoAmI } from '../net/whoami';
import { LANGUAGES, language, setLanguage, messages, type Language } from '../i18n';
import { applyTheme, theme, THEMES, type Theme } from './theme';

export const settingsOpen = signal(false);
const addressError = signal('');

export function Settings() {
  const dialog = useRef<HTMLDialogElement>(null);
  const before = useRef<Element | null>(null);
  const open = settingsOpen.value;
  useEffect(() => {
    // The dialog is never modal: the stop button has to stay within reach.
    if (open) {
      before.current = document.activeElement;
      dialog.current?.show();
    } else {
      dialog.current?.close();
      if (before.current instanceof HTMLElement) before.current.focus();
      before.current = null;
    }
  }, [open]);
  const w = messages.value;
  const close = () => (settingsOpen.value = false);
  return (
    <dialog
      ref={dialog}
      class="settings"
      aria-label={w.settings.open}
      onClose={close}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <div class="card-head">
        <h2>{w.settings.open}</h2>
        <button type="button" onClick={close}>
          {w.common.close}
        </button>
      </div>
      <Robots />
      <Login />
      <p>
        <button
          type="button"
          onClick={() => {
            close();
            setTourStep('look');
          }}
        >
          {w.help.tour.start}
        </button>
      </p>
      <div class="row">
        <label>
          {w.settings.theme}
          <select
            value={theme.value}
            onChange={(event) => applyTheme(event.currentTarget.value as Theme)}
          >
            {THEMES.map((one) => (
              <option key={one} value={one}>
                {w.settings.themes[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          {w.settings.language}
          <select
            value={language.value}
            onChange={(event) => void setLanguage(event.currentTarget.value as Language)}
          >
            {Object.entries(LANGUAGES).map(([key, name]) => (
              <option key={key} value={key} lang={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
    </dialog>
  );
}

function Robots() {
  const w = messages.value;
  const input = useRef<HTMLInputElement>(null);
  const add = (event: Event) => {
    event.preventDefault();
    const typed = input.current?.value ?? '';
    const known = robots.add(typed);
    addressError.value = known ? '' : w.settings.invalidAddress;
    if (known && input.current) input.current.value = '';
  };
  return (
    <fieldset>
      <legend>{w.settings.robots}</legend>
      <ul class="robots">
        {['', ...robots.robots.value].map((robot) => (
          <li key={robot}>
            <button
              type="button"
              class="robot-choice"
              aria-pressed={robots.base.value === robot}
              onClick={() => robots.select(robot)}
            >
              {robot === '' ? w.settings.here : robot}
            </button>
            {robot !== '' && (
              <button
                type="button"
                aria-label={`${w.common.remove}: ${robot}`}
                onClick={() => robots.remove(robot)}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
      <form class="row" onSubmit={add}>
        <label>
          {w.settings.address}
          <input ref={input} type="text" inputMode="url" autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit">{w.settings.add}</button>
      </form>
      <p class="outcome is-bad" role="alert">
        {addressError.value}
      </p>
    </fieldset>
  );
}

const loginError = signal('');

function Login() {
  const w = messages.value.settings;
  const input = useRef<HTMLInputElement>(null);
  const logIn = async (event: Event) => {
    event.preventDefault();
    const typed = input.current?.value.trim() ?? '';
    if (typed === '') return;
    const result = await whoAmI(new AbortController().signal, typed);
    if (result.access?.atLeast) {
      loginError.value = '';
      robots.logIn(typed);
      if (input.current) input.current.value = '';
    } else {
      loginError.value = w.signInFailed(result.reason);
    }
  };
  const { atLeast, exact, name } = access.value;
  const role = atLeast === null ? w.notSignedIn : messages.value.roles[atLeast];
  const who = [exact ? role : w.roleAtLeast(role), name].filter(Boolean).join(' · ');
  return (
    <fieldset>
      <legend>{w.token}</legend>
      <p>
        {w.role}: <strong>{who}</strong>
        {link.value.status === 'unauthorized' && <span class="note"> {link.value.reason}</span>}
      </p>
      <form class="row" onSubmit={(event) => void logIn(event)}>
        <label>
          {w.token}
          <input ref={input} type="password" autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit">{w.signIn}</button>
        {robots.token.value !== '' && (
          <button type="button" onClick={() => robots.logIn('')}>
            {w.signOut}
          </button>
        )}
      </form>
      <p class="note">{w.tokenNote}</p>
      <p class="outcome is-bad" role="alert">
        {loginError.value}
      </p>
    </fieldset>
  );
}
