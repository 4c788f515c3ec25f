import { html, nothing } from 'lit';
import { icon } from './icons.js';
import { tell, tellError } from './toast.js';

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    tell('Copied.');
  } catch {
    // Pages that came over plain HTTP from another machine have no clipboard; an old way still works.
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'offscreen';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (done) tell('Copied.');
    else tellError(Object.assign(new Error('The browser did not allow copying.'), { status: 0 }));
  }
}

/** @param {string | (() => string)} what is copied */
export function copyButton(what, label = 'Copy', visible = false) {
  return html`<button type="button" class=${visible ? 'button' : 'icon-button copy'} title=${label} aria-label=${label}
    @click=${(event) => { event.stopPropagation(); event.preventDefault(); copy(typeof what === 'function' ? what() : what); }}>${icon('copy')}${visible ? label : nothing}</button>`;
}

/** An id of which the end, which tells ids apart, is shown. */
export function shortId(id) {
  return html`<code class="id-tail" title=${id}>…${String(id).slice(-12)}</code>`;
}
