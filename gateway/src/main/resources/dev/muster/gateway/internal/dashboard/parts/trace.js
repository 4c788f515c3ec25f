import { html, nothing } from 'lit';
import { copyButton } from './copy.js';

/** The first line of an error without the package of its exception, for lists. */
export function headline(error) {
  return error.split('\n', 1)[0].replace(/^(?:[a-z_]\w*\.)+(?=[A-Z])/, '');
}

/** An error: its first line, with the rest, which is a stack trace, folded below. */
export function trace(error, open = false) {
  if (!error) return nothing;
  const end = error.indexOf('\n');
  if (end < 0) return html`<div class="trace" data-test="error-text"><div class="first">${error}</div></div>`;
  return html`<details class="trace" data-test="error-text" ?open=${open}><summary>${error.slice(0, end)}</summary>
    <div class="trace-body">${copyButton(error, 'Copy the error')}<pre tabindex="0" aria-label="Stack trace">${error}</pre></div></details>`;
}
