import { html } from 'lit';
import { link } from '../address.js';
import { session } from '../session.js';

/** Callers of a tenant see neither nodes nor queues; they get the name without a link. */
export function nodeLink(id, css = '') {
  return session.confined ? html`<span class=${css}>${id}</span>` : html`<a class=${css} href=${link('nodes', id)}>${id}</a>`;
}

export function queueLink(name, css = '') {
  return session.confined ? html`<span class=${css}>${name}</span>` : html`<a class=${css} href=${link('queues', name)}>${name}</a>`;
}
