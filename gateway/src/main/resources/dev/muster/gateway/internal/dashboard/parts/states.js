// What a list shows when it has no rows to show.
import { html, nothing } from 'lit';
import { icon } from './icons.js';

export function loading(what = 'Loading…') {
  return html`<div class="state" data-test="loading" role="status"><span class="spinner" aria-hidden="true"></span>${what}</div>`;
}

/** @param hint what the user can do, or what would appear here */
export function empty(text, hint = nothing) {
  return html`<div class="state" data-test="empty"><strong>${text}</strong><span>${hint}</span></div>`;
}

export function failure(error, again) {
  return html`<div class="state bad" data-test="error" role="alert">
    <strong>${icon('warn')} ${error.message}</strong>
    ${error.requestId ? html`<span class="muted">Request <code>${error.requestId}</code></span>` : nothing}
    ${again ? html`<button type="button" class="button" @click=${again}>Try again</button>` : nothing}
  </div>`;
}

/**
 * Renders a resource: its data, or why there is none. A failure while there is older data is a line above it.
 *
 * @param {import('./resource.js').Resource} resource
 * @param {(data) => unknown} template
 */
export function show(resource, template) {
  if (resource.data === undefined) {
    if (resource.error) return failure(resource.error, () => resource.restart());
    return loading();
  }
  return html`${resource.error
    ? html`<p class="note bad" data-test="stale">${icon('warn')} This is not up to date: ${resource.error.message}</p>`
    : nothing}${template(resource.data)}`;
}
