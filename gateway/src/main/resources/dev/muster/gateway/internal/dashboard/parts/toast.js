import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { icon } from './icons.js';
import { PageElement } from './element.js';

let shown = null;
let count = 0;

/** Messages about what became of actions, in the corner. */
class Toasts extends PageElement {
  list = [];

  connectedCallback() {
    super.connectedCallback();
    shown = this;
  }

  add(toast) {
    this.list = [...this.list.slice(-3), { ...toast, id: ++count }];
    const { id } = this.list.at(-1);
    this.requestUpdate();
    if (!toast.bad) setTimeout(() => this.drop(id), 5_000);
  }

  drop(id) {
    this.list = this.list.filter((one) => one.id !== id);
    this.requestUpdate();
  }

  render() {
    return html`<div class="toasts" aria-live="polite">${repeat(this.list, (one) => one.id, (one) => html`
      <div class="toast ${one.bad ? 'bad' : ''}" role=${one.bad ? 'alert' : 'status'} data-test="toast">
        <div><p>${one.text}</p>${one.requestId ? html`<p class="muted">Request <code>${one.requestId}</code></p>` : nothing}</div>
        <button type="button" class="icon-button" aria-label="Dismiss" @click=${() => this.drop(one.id)}>${icon('close')}</button>
      </div>`)}</div>`;
  }
}

customElements.define('muster-toasts', Toasts);

export function tell(text) {
  shown?.add({ text });
}

/** Shows the gateway's own sentence, and the request's id to look for in the log. */
export function tellError(error) {
  if (error.status === 401) return;
  if (!('status' in error)) console.error(error);
  shown?.add({ text: error.message, requestId: error.requestId, bad: true });
}

/** Runs an action and says what became of it; resolves to its result, or to undefined if it failed. */
export async function attempt(action, done) {
  try {
    const result = await action();
    const text = typeof done === 'function' ? done(result) : done;
    if (text) tell(text);
    return result ?? null;
  } catch (e) {
    tellError(e);
    return undefined;
  }
}
