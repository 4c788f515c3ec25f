import { html, nothing } from 'lit';
import { PageElement } from './element.js';
import { ExactNumber, stringify } from './lossless.js';
import { copyButton } from './copy.js';

const FIRST = 50;

/** A JSON value that can be folded. Everything is text; nothing of it becomes markup. */
class JsonView extends PageElement {
  static properties = { value: {}, open: { type: Number } };
  #all = new Set();

  constructor() {
    super();
    this.open = 2;
  }

  render() {
    if (this.value === undefined) return nothing;
    return html`<div class="json">${copyButton(() => stringify(this.value, 2), 'Copy JSON')}${this.node(this.value, 0, '$')}</div>`;
  }

  node(value, depth, path) {
    if (value instanceof ExactNumber || typeof value === 'number') return html`<span class="json-number">${String(value)}</span>`;
    if (typeof value === 'string') return html`<span class="json-text">${JSON.stringify(value)}</span>`;
    if (value === null || typeof value !== 'object') return html`<span class="json-word">${String(value)}</span>`;
    const list = Array.isArray(value);
    const members = list ? value.map((one, index) => [index, one]) : Object.entries(value);
    const [begin, end] = list ? ['[', ']'] : ['{', '}'];
    if (!members.length) return html`<span>${begin}${end}</span>`;
    const some = this.#all.has(path) ? members : members.slice(0, FIRST);
    return html`<details ?open=${depth < this.open && members.length <= 200}>
      <summary>${begin}<span class="json-count"> ${members.length} ${list ? (members.length === 1 ? 'item' : 'items') : (members.length === 1 ? 'member' : 'members')} </span><span class="json-count">${end}</span></summary>
      <div class="json-members">${some.map(([name, one]) => html`<div>${list ? nothing : html`<span class="json-name">${JSON.stringify(name)}</span>: `}${this.node(one, depth + 1, `${path}.${name}`)}</div>`)}
      ${some.length < members.length
        ? html`<button type="button" class="link" @click=${() => { this.#all.add(path); this.requestUpdate(); }}>Show all ${members.length}</button>`
        : nothing}</div>${end}</details>`;
  }
}

customElements.define('muster-json', JsonView);

export function json(value, open = 2) {
  return html`<muster-json .value=${value} .open=${open}></muster-json>`;
}
