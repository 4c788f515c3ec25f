// Keys that work everywhere in the page.
import { go, link } from './address.js';
import { SCREENS } from './screens.js';

export const KEYS = [
  ['/', 'search'],
  ['j  k', 'next, previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['Esc', 'close, leave a field'],
  ['?', 'show these keys'],
  ...SCREENS.filter((screen) => screen.jump).map((screen) => [`g ${screen.jump}`, screen.title]),
];

let afterG = 0;

/** @param {{help: () => void, escape: () => void}} frame */
export function listenToKeys(frame) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const typing = event.target.closest?.('input:not([type=checkbox]), textarea, select');
    if (event.key === 'Escape') {
      if (typing) event.target.blur();
      else frame.escape();
      return;
    }
    if (typing) return;
    if (handle(event.key, event, frame)) event.preventDefault();
  });
}

/** A click into a row opens it, unless it was for something within the row or selected a text. */
export function listenToRows(page) {
  page.addEventListener('click', (event) => {
    const row = event.target.closest('[data-row][data-href]');
    if (!row || event.target.closest('a, button, input, label, summary, pre, muster-json') || String(getSelection())) return;
    if (event.ctrlKey || event.metaKey) window.open(row.dataset.href, '_blank', 'noopener');
    else go(row.dataset.href);
  });
}

function handle(key, event, frame) {
  if (Date.now() - afterG < 1_200) {
    afterG = 0;
    const screen = SCREENS.find((one) => one.jump === key);
    if (screen) {
      go(link(...(screen.at ? [screen.at] : [])));
      return true;
    }
  }
  switch (key) {
    case 'g':
      afterG = Date.now();
      return true;
    case '?':
      frame.help();
      return true;
    case '/':
      return search();
    case 'j':
      return move(1);
    case 'k':
      return move(-1);
    case 'x':
      return select();
    case 'Enter':
      return event.target.matches?.('[data-row]') ? open(event.target) : false;
    default:
      return false;
  }
}

function search() {
  const field = document.querySelector('main [data-search]');
  if (field) {
    field.focus();
    field.select();
  } else {
    go('#/jobs');
    addEventListener('screen-shown', () => document.querySelector('main [data-search]')?.focus(), { once: true });
  }
  return true;
}

function rows() {
  return [...document.querySelectorAll('main [data-row]')];
}

function move(by) {
  const all = rows();
  if (!all.length) return false;
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
  return true;
}

function open(row) {
  const target = row.dataset.href ?? row.querySelector('a[href]')?.getAttribute('href');
  if (target) go(target);
  return Boolean(target);
}

function select() {
  const box = rows().find((row) => row.contains(document.activeElement))?.querySelector('input[type=checkbox]');
  box?.click();
  return Boolean(box);
}
