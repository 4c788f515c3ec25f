import { html, nothing } from 'lit';
import { get, path, post } from '../api.js';
import { live } from '../events.js';
import { copyButton } from '../parts/copy.js';
import { ask } from '../parts/dialog.js';
import { PageElement } from '../parts/element.js';
import { elapsed, exact, number, plural, time } from '../parts/format.js';
import { icon } from '../parts/icons.js';
import { json } from '../parts/json.js';
import { jsonProblem, parse } from '../parts/lossless.js';
import { nodeLink } from '../parts/links.js';
import { Resource } from '../parts/resource.js';
import { empty, show } from '../parts/states.js';
import { status, tone } from '../parts/status.js';
import { trace } from '../parts/trace.js';
import { link, listLink } from '../address.js';
import { session } from '../session.js';

const KINDS = { step: 'step', sleep: 'sleep', event: 'event', child: 'child run', time: 'reads the time' };

/** A step with one of these is not over, and may be due at some time. */
const OPEN = ['waiting', 'retrying'];

/**
 * What undoes a step, or has undone it.
 *
 * @param undoing the status of the step that undoes it, if it has begun
 */
function compensation(run, step, undoing) {
  if (!step.compensation || (run.status === 'completed' && !undoing)) return nothing;
  const text = undoing === 'completed' ? 'undone by' : undoing ? 'is to be undone by' : 'can be undone by';
  return html`<span class="tag" data-test="compensation">${text} ${step.compensation}</span>`;
}

/** One run of a workflow: its steps so far, and why it waits. */
class Run extends PageElement {
  static properties = { thing: {} };

  run = new Resource(this, (signal) => get(path('workflows', this.thing), null, signal), { on: ['run'], when: (event) => event.detail?.id === this.thing, every: 1_500, slow: 10_000, gap: 300 });
  #unwatch = null;

  connectedCallback() {
    super.connectedCallback();
    this.#unwatch = live.watch('run', this.thing);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#unwatch?.();
  }

  render() {
    return show(this.run, (run) => html`
      <div class="head"><p class="crumb"><a href="#/workflows">Workflows</a></p><h1>${run.workflow_name} <span class="muted">${run.workflow_version}</span></h1>${status(run.status)}${run.cancel_requested && !run.finished_at ? status('warn', 'It was asked to end') : nothing}
        <span class="muted row"><code>${run.id}</code>${copyButton(run.id, 'Copy the id')}</span><span class="space"></span>${this.actions(run)}</div>
      <div class="stack">
        ${run.waiting_reason ? html`<p class="why" data-test="why">${icon('crons')}<span><b>Why it waits:</b> ${run.waiting_reason}</span></p>` : nothing}
        ${run.resolution_reason ? html`<p class="note warn">${run.resolution_reason}</p>` : nothing}
        ${run.error ? trace(run.error) : nothing}
        <div class="columns"><div class="stack">
          <section class="card"><header><h2>Steps</h2><span class="muted">${plural((run.steps ?? []).length, 'step')}</span></header><div class="body">${this.steps(run)}</div></section>
          <section class="card"><header><h2>Input</h2></header><div class="body">${json(run.input)}</div></section>
          ${run.result === null || run.result === undefined ? nothing : html`<section class="card"><header><h2>Result</h2></header><div class="body" data-test="result">${json(run.result)}</div></section>`}
        </div><div class="stack"><section class="card"><header><h2>Details</h2></header><div class="body"><dl class="facts">
          <dt>workflow</dt><dd><a href=${listLink('workflows', { name: run.workflow_name })}>${run.workflow_name}</a> ${run.workflow_version}</dd>
          ${run.node ? html`<dt>node</dt><dd>${nodeLink(run.node)}</dd>` : nothing}
          <dt>created</dt><dd>${time(run.created_at)}</dd><dt>changed</dt><dd>${time(run.changed_at)}</dd>${run.finished_at ? html`<dt>ended</dt><dd>${time(run.finished_at)}</dd>` : nothing}
          <dt>took</dt><dd>${elapsed(run.created_at, run.finished_at)}</dd>
          ${run.wake_at && !run.finished_at ? html`<dt>wakes</dt><dd>${time(run.wake_at)}</dd>` : nothing}
          ${run.key ? html`<dt>key</dt><dd><code>${run.key}</code></dd>` : nothing}
          ${run.parent ? html`<dt>parent</dt><dd><a class="mono" href=${link('workflows', run.parent)}>…${run.parent.slice(-12)}</a></dd>` : nothing}
          ${run.continued_as ? html`<dt>continued as</dt><dd><a class="mono" href=${link('workflows', run.continued_as)}>…${run.continued_as.slice(-12)}</a></dd>` : nothing}
        </dl></div></section>
        ${run.awaiting.length ? html`<section class="card"><header><h2>Waits for events</h2></header><div class="table-box"><table class="list"><tbody>${run.awaiting.map((event) => html`<tr><td class="main">${event}</td><td class="tight right">${session.may('write') && !event.startsWith('muster:') ? html`<button type="button" class="button small" data-test="signal-event" @click=${() => this.signal(event)}>Send it</button>` : nothing}</td></tr>`)}</tbody></table></div></section>` : nothing}
        </div></div></div>`);
  }

  steps(run) {
    const steps = run.steps ?? [];
    if (!steps.length) return empty('No step has been stored yet');
    const stored = new Map(steps.map((step) => [step.path, step.status]));
    return html`<ol class="timeline" data-test="steps">${steps.map((step) => html`<li class=${tone(step.status)} data-test="step">
      <div class="line-1"><b>${step.name}</b>${status(step.status)}${step.kind === 'step' ? nothing : html`<span class="tag">${step.kind === 'event' && step.status === 'waiting' ? 'waits for an event' : KINDS[step.kind] ?? step.kind}</span>`}
        ${step.attempts > 1 ? html`<span class="muted">${plural(step.attempts, 'attempt')}</span>` : nothing}
        ${compensation(run, step, stored.get(`c.${step.path}`))}
        ${step.due_at && OPEN.includes(step.status) ? html`<span class="muted">due ${time(step.due_at)}</span>` : nothing}
        ${step.node ? html`<span class="muted">on ${nodeLink(step.node)}</span>` : nothing}
        <span class="muted" title=${exact(step.stored_at)}>${time(step.stored_at)}</span><code class="muted" title="Its place in the workflow">${step.path}</code></div>
      ${trace(step.error)}${step.result === null || step.result === undefined ? nothing : html`<div class="step-result">${json(step.result, 0)}</div>`}</li>`)}
      ${run.finished_at ? html`<li class=${tone(run.status)}><div class="line-1"><b>Ended</b>${status(run.status)}<span class="muted">${time(run.finished_at)}</span></div></li>` : nothing}</ol>`;
  }

  actions(run) {
    if (!session.may('write')) return nothing;
    return html`<span class="row">
      ${run.finished_at ? nothing : html`<button type="button" class="button" data-test="signal" @click=${() => this.signal('')}>Send an event</button><button type="button" class="button" data-test="cancel" @click=${() => this.cancel(run)}>Cancel</button>`}
      ${run.status === 'failed' ? html`<button type="button" class="button primary" data-test="retry" @click=${() => this.retry(run)}>Retry</button>` : nothing}</span>`;
  }

  async done(promise) {
    if ((await promise) !== undefined) this.run.reload();
  }

  signal(event) {
    this.done(ask({
      title: 'Send an event to this run',
      action: 'Send',
      fields: [
        { name: 'event', label: 'Event', value: event, required: true },
        { name: 'payload', label: 'Payload', value: '', rows: 4, check: jsonProblem, placeholder: '{"by": "Ada"}' },
      ],
      run: ({ event: name, payload }) => post(path('workflows', this.thing, 'signal'), { event: name.trim(), ...(payload.trim() ? { payload: parse(payload) } : {}) }),
    }));
  }

  cancel(run) {
    this.done(ask({
      title: 'Cancel this run?',
      text: `It is asked to end, and undoes its ${number((run.steps ?? []).filter((step) => step.compensation && step.status === 'completed').length)} steps that can be undone.`,
      action: 'Cancel the run',
      danger: true,
      fields: [{ name: 'reason', label: 'Reason', value: '', required: true }],
      run: ({ reason }) => post(path('workflows', run.id, 'cancel'), { reason }),
    }));
  }

  retry(run) {
    this.done(ask({ title: 'Retry this run?', text: 'It continues with the step that failed; steps that are stored do not run again.', action: 'Retry', run: () => post(path('workflows', run.id, 'retry')) }));
  }
}

customElements.define('muster-run', Run);
