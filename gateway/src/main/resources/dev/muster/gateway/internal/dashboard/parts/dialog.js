import { html, nothing, render } from 'lit';
import { live } from 'lit/directives/live.js';

/**
 * Asks before something is done. The dialog stays open while the action runs, and shows the gateway's sentence if it fails.
 *
 * @param {object} options
 * @param {string} options.title names what will happen and to how many: "Retry 12 jobs?"
 * @param {unknown} [options.text] the consequences
 * @param {string} options.action the button: "Retry 12 jobs"
 * @param {boolean} [options.danger]
 * @param {boolean} [options.stoppable] whether `run` looks at its signal: then *Stop* lets it end early; otherwise it continues when the dialog is closed
 * @param {Field[]} [options.fields] what the user has to fill in
 * @param {(values: object, progress: (text: string) => void, signal: AbortSignal) => Promise<unknown>} options.run
 * @returns a promise of what `run` returned; undefined if the user closed the dialog
 *
 * @typedef {{name: string, label: string, value?: string, type?: string, options?: string[], hint?: string | ((values: object) => unknown), required?: boolean,
 *     rows?: number, placeholder?: string, check?: (text: string) => string | null}} Field
 */
export function ask({ title, text = nothing, action, danger = false, fields = [], wide = false, stoppable = false, run }) {
  const dialog = document.createElement('dialog');
  dialog.className = wide ? 'dialog wide' : 'dialog';
  dialog.dataset.test = 'dialog';
  const values = Object.fromEntries(fields.map((field) => [field.name, field.value ?? '']));
  const state = { running: false, problem: null, progress: null, wrong: {} };
  const stop = new AbortController();
  const before = document.activeElement;

  return new Promise((resolve) => {
    const close = (result) => {
      dialog.close();
      dialog.remove();
      if (before?.isConnected) before.focus({ preventScroll: true });
      resolve(result);
    };

    const leave = () => {
      if (!state.running || !stoppable) {
        close(undefined);
        return;
      }
      stop.abort();
      state.progress = 'Stopping…';
      draw();
    };

    const submit = async (event) => {
      event.preventDefault();
      if (state.running) return;
      state.wrong = {};
      for (const field of fields) {
        const problem = field.required && !values[field.name].trim() ? 'Fill this in.' : field.check?.(values[field.name]);
        if (problem) state.wrong[field.name] = problem;
      }
      if (Object.keys(state.wrong).length) {
        draw();
        return;
      }
      Object.assign(state, { running: true, problem: null });
      draw();
      try {
        const result = await run(values, (now) => {
          state.progress = now;
          draw();
        }, stop.signal);
        if (dialog.isConnected) close(result ?? null);
      } catch (e) {
        if (!dialog.isConnected) return;
        Object.assign(state, { running: false, problem: e, progress: null });
        if (!('status' in e)) console.error(e);
        draw();
      }
    };

    const input = (field) => {
      const set = (event) => {
        values[field.name] = event.target.type === 'checkbox' ? String(event.target.checked) : event.target.value;
        if (typeof field.hint === 'function') draw();
      };
      const id = `field-${field.name}`;
      if (field.options) {
        return html`<select id=${id} name=${field.name} @change=${set}>
          ${field.options.map((one) => html`<option value=${one} ?selected=${one === values[field.name]}>${one ? one.replaceAll('_', ' ') : '(default)'}</option>`)}
        </select>`;
      }
      if (field.rows) {
        return html`<textarea id=${id} name=${field.name} rows=${field.rows} spellcheck="false" .value=${live(values[field.name])} @input=${set}
          placeholder=${field.placeholder ?? ''}></textarea>`;
      }
      if (field.type === 'checkbox') {
        return html`<input id=${id} name=${field.name} type="checkbox" ?checked=${values[field.name] === 'true'} @change=${set}>`;
      }
      return html`<input id=${id} name=${field.name} type=${field.type ?? 'text'} .value=${live(values[field.name])} @input=${set}
        placeholder=${field.placeholder ?? ''} autocomplete="off" spellcheck="false">`;
    };

    const draw = () => render(html`<form @submit=${submit} novalidate>
      <h2 id="dialog-title">${title}</h2>
      ${text === nothing ? nothing : html`<div class="dialog-text">${text}</div>`}
      ${fields.map((field) => html`<div class="field ${field.type === 'checkbox' ? 'check' : ''}">
        <label for="field-${field.name}">${field.label}</label>${input(field)}
        ${field.hint ? html`<small>${typeof field.hint === 'function' ? field.hint(values) : field.hint}</small>` : nothing}
        ${state.wrong[field.name] ? html`<small class="wrong" role="alert">${state.wrong[field.name]}</small>` : nothing}
      </div>`)}
      ${state.progress ? html`<p class="muted" role="status" data-test="progress">${state.progress}</p>` : nothing}
      ${state.problem
        ? html`<div class="note bad" role="alert" data-test="dialog-error"><p>${state.problem.message}</p>
            ${state.problem.requestId ? html`<p class="muted">Request <code>${state.problem.requestId}</code></p>` : nothing}</div>`
        : nothing}
      <div class="dialog-buttons">
        <button type="button" class="button" data-test="dialog-close" @click=${leave}>${state.running && stoppable ? 'Stop' : 'Close'}</button>
        <button type="submit" class="button ${danger ? 'danger' : 'primary'}" data-test="dialog-action" ?disabled=${state.running}>${action}</button>
      </div>
    </form>`, dialog);

    draw();
    dialog.setAttribute('aria-labelledby', 'dialog-title');
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      leave();
    });
    document.body.append(dialog);
    dialog.showModal();
    const first = dialog.querySelector('input, select, textarea') ?? dialog.querySelector('[data-test=dialog-action]');
    first.focus();
  });
}
