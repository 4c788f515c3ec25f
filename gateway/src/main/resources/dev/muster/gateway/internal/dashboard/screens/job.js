import { html, nothing } from 'lit';
import { address, get, path, post } from '../api.js';
import { live } from '../events.js';
import { copyButton } from '../parts/copy.js';
import { ask } from '../parts/dialog.js';
import { PageElement } from '../parts/element.js';
import { between, clock, duration, elapsed, exact, number, plural, time } from '../parts/format.js';
import { icon } from '../parts/icons.js';
import { json } from '../parts/json.js';
import { stringify } from '../parts/lossless.js';
import { writeQuery } from '../parts/query.js';
import { nodeLink, queueLink } from '../parts/links.js';
import { Resource } from '../parts/resource.js';
import { show } from '../parts/states.js';
import { LIVE_STATUSES, status, tone } from '../parts/status.js';
import { trace } from '../parts/trace.js';
import { link, listLink } from '../address.js';
import { session } from '../session.js';

const PRIORITIES = ['background', 'low', 'normal', 'high', 'critical'];
const MAX_LINES = 2_000;

/** One job: what became of it so far, why it waits, and what can be done. */
class Job extends PageElement {
  static properties = { thing: {} };

  #mine = (event) => event.detail?.id === this.thing;
  job = new Resource(this, (signal) => get(path('jobs', this.thing), null, signal), { on: ['watched', 'job'], when: this.#mine, every: 1_500, slow: 10_000, gap: 300 });
  attempts = new Resource(this, (signal) => get(path('jobs', this.thing, 'attempts'), null, signal), { on: ['watched', 'job'], when: this.#mine, every: 3_000, slow: 15_000, gap: 300 });
  logs = new Resource(this, (signal) => this.newLines(signal), { on: ['watched', 'job'], when: this.#mine, every: 1_500, slow: 10_000, gap: 300 });
  lines = [];
  #unwatch = null;

  connectedCallback() {
    super.connectedCallback();
    this.#unwatch = live.watch('job', this.thing);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#unwatch?.();
  }

  /** Asks only for lines that are not known yet. */
  async newLines(signal) {
    for (;;) {
      const after = this.lines.at(-1)?.line ?? 0;
      const { lines } = await get(path('jobs', this.thing, 'logs'), [['after', after], ['limit', 500]], signal);
      this.lines = [...this.lines, ...lines].slice(-MAX_LINES);
      if (lines.length < 500) return this.lines;
    }
  }

  willUpdate() {
    const box = this.querySelector('.logs');
    this.atEnd = !box || box.scrollTop + box.clientHeight >= box.scrollHeight - 8;
  }

  updated() {
    const box = this.querySelector('.logs');
    if (box && this.atEnd) box.scrollTop = box.scrollHeight;
  }

  render() {
    return show(this.job, (job) => html`
      <div class="head"><p class="crumb"><a href="#/jobs">Jobs</a></p>
        <h1>${job.name}</h1>${status(job.status)}<span class="muted row"><code data-test="job-id">${job.id}</code>${copyButton(job.id, 'Copy the id')}</span>
        <span class="space"></span>${this.actions(job)}</div>
      <div class="stack">
        ${job.waiting_reason ? html`<p class="why" data-test="why">${icon('crons')}<span><b>Why it waits:</b> ${job.waiting_reason}</span></p>` : nothing}
        ${job.progress && LIVE_STATUSES.includes(job.status) ? html`<div class="card body-pad progress" data-test="progress"><progress max="100" value=${job.progress.percent}></progress><span class="num">${job.progress.percent} %</span><span class="muted wrap">${job.progress.message ?? ''}</span></div>` : nothing}
        <div class="columns"><div class="stack">
          <section class="card"><header><h2>Attempts</h2><span class="muted">${number(job.attempt)} of ${number(job.max_attempts)}${job.crashes ? `, ${number(job.crashes)} ended in a crash of the node` : ''}</span></header>
            <div class="body">${this.timeline(job)}</div></section>
          ${this.logCard()}
          <section class="card"><header><h2>Args</h2></header><div class="body">${json(job.args)}</div></section>
          ${job.result === null || job.result === undefined ? nothing : html`<section class="card"><header><h2>Result</h2></header><div class="body" data-test="result">${json(job.result)}</div></section>`}
        </div><div class="stack">
          <section class="card"><header><h2>Details</h2></header><div class="body">${this.facts(job)}</div></section>
          ${job.dependencies?.length ? this.dependencies(job) : nothing}
          ${this.commands(job)}
        </div></div></div>`);
  }

  actions(job) {
    if (!session.may('write')) return nothing;
    const free = job.status === 'pending' || job.status === 'waiting';
    return html`<span class="row">
      ${['failed', 'cancelled', 'expired'].includes(job.status) ? html`<button type="button" class="button primary" data-test="retry" @click=${() => this.retry(job)}>Retry</button>` : nothing}
      ${free ? html`<button type="button" class="button" data-test="reschedule" @click=${() => this.reschedule(job)}>Reschedule</button>
        <button type="button" class="button" data-test="reprioritise" @click=${() => this.reprioritise(job)}>Priority</button>` : nothing}
      ${LIVE_STATUSES.includes(job.status) ? html`<button type="button" class="button" data-test="cancel" @click=${() => this.cancel(job)}>Cancel</button>` : nothing}
      ${job.finished_at ? html`<button type="button" class="button" data-test="again" @click=${() => this.again(job)}>Enqueue again</button>` : nothing}</span>`;
  }

  async done(promise) {
    if ((await promise) === undefined) return;
    this.job.reload();
    this.attempts.reload();
  }

  retry(job) {
    this.done(ask({
      title: 'Retry this job?',
      text: 'Its attempts count from zero again.',
      action: 'Retry',
      fields: [{ name: 'dependents', label: 'Also the jobs that were cancelled because of it', type: 'checkbox', value: 'false' }],
      run: ({ dependents }) => post(path('jobs', job.id, 'retry'), undefined, dependents === 'true' ? [['with_dependents', 'true']] : []),
    }));
  }

  cancel(job) {
    this.done(ask({
      title: 'Cancel this job?',
      text: job.node ? `The node ${job.node} is told to stop it.` : 'It ends at once. Jobs that depend on it are cancelled, too.',
      action: 'Cancel the job',
      danger: true,
      run: () => post(path('jobs', job.id, 'cancel')),
    }));
  }

  reschedule(job) {
    this.done(ask({
      title: 'Reschedule this job',
      text: html`It is due ${exact(job.run_at)}.`,
      action: 'Reschedule',
      fields: [{ name: 'delay', label: 'Due in', value: '0s', required: true, hint: '0s makes it due now; 30s, 15m, 2h, 1d.' }],
      run: ({ delay }) => post(path('jobs', job.id, 'reschedule'), { delay: delay.trim() }),
    }));
  }

  reprioritise(job) {
    this.done(ask({
      title: 'Change the priority',
      text: 'Among due jobs of that priority it comes last.',
      action: 'Change',
      fields: [{ name: 'priority', label: 'Priority', value: job.priority, options: PRIORITIES }],
      run: ({ priority }) => post(path('jobs', job.id, 'reprioritise'), { priority }),
    }));
  }

  async again(job) {
    const { enqueueDialog } = await import('./enqueue.js');
    const created = await enqueueDialog({ name: job.name, args: stringify(job.args, 2), queue: job.queue, priority: job.priority });
    if (created) location.hash = link('jobs', created.id);
  }

  timeline(job) {
    const ended = this.attempts.data?.attempts ?? [];
    const last = ended.at(-1);
    const now = job.status === 'running' || job.status === 'claimed';
    // The last attempt of an ended job is only in the job itself if it left no entry.
    const missing = job.finished_at && job.started_at && (!last || last.ended_at < job.started_at || last.attempt < job.attempt);
    return html`<ol class="timeline" data-test="attempts">
      <li><div class="line-1"><b>Created</b><span class="muted">${time(job.created_at)}</span>${job.run_at > job.created_at && between(job.created_at, job.run_at) > 1_000 ? html`<span class="muted">due ${time(job.run_at)}</span>` : nothing}</div></li>
      ${ended.map((one) => html`<li class=${tone(one.outcome)} data-test="attempt"><div class="line-1"><b>Attempt ${number(one.attempt)}</b>${status(one.outcome)}
          ${one.started_at ? html`<span class="num" title="${exact(one.started_at)} to ${exact(one.ended_at)}">${duration(between(one.started_at, one.ended_at))}</span>` : nothing}
          ${one.node ? html`<span class="muted">on ${nodeLink(one.node)}</span>` : nothing}<span class="muted">${time(one.ended_at)}</span></div>${trace(one.error)}</li>`)}
      ${now ? html`<li class="busy" data-test="attempt"><div class="line-1"><b>Attempt ${number(job.attempt)}</b>${status(job.status)}${elapsed(job.started_at, null)}${job.node ? html`<span class="muted">on ${nodeLink(job.node)}</span>` : nothing}</div></li>` : nothing}
      ${missing ? html`<li class=${tone(job.status)} data-test="attempt"><div class="line-1"><b>Attempt ${number(job.attempt)}</b>${status(job.status)}<span class="num">${duration(between(job.started_at, job.finished_at))}</span>
          ${job.node ? html`<span class="muted">on ${nodeLink(job.node)}</span>` : nothing}<span class="muted">${time(job.finished_at)}</span></div>${trace(job.error)}</li>` : nothing}
      ${job.status === 'pending' || job.status === 'waiting' ? html`<li class=${tone(job.status)}><div class="line-1"><b>${job.attempt ? 'Next attempt' : 'First attempt'}</b><span class="muted">${job.status === 'waiting' ? 'when its dependencies have ended' : html`due ${time(job.run_at)}`}</span></div></li>` : nothing}
      ${job.finished_at && !missing && (!last || last.outcome !== job.status) ? html`<li class=${tone(job.status)}><div class="line-1"><b>Ended</b>${status(job.status)}<span class="muted">${time(job.finished_at)}</span></div>${job.error !== last?.error ? trace(job.error) : nothing}</li>` : nothing}
    </ol>`;
  }

  logCard() {
    const lines = this.lines;
    if (!lines.length) return nothing;
    return html`<section class="card"><header><h2>Log</h2><span class="muted">${plural(lines.length, 'line')}</span><span class="space"></span>${copyButton(() => lines.map((line) => `${line.at} ${line.level} ${line.message}`).join('\n'), 'Copy the log')}</header>
      <div class="logs" data-test="logs" tabindex="0" role="log" aria-label="Log">${lines.map((line) => html`<div class=${line.level.toLowerCase()} title="attempt ${line.attempt}, ${exact(line.at)}"><time>${clock(line.at, true)}</time><span class="level">${line.level.toLowerCase()}</span><span class="text">${line.message}</span></div>`)}</div></section>`;
  }

  facts(job) {
    const metadata = Object.entries(job.metadata ?? {});
    const fact = (name, value) => (value === null || value === undefined || value === '' ? nothing : html`<dt>${name}</dt><dd>${value}</dd>`);
    return html`<dl class="facts">
      ${fact('queue', queueLink(job.queue))}
      ${fact('priority', html`${job.priority}${job.lifted_to ? html` <span class="muted">lifted to ${job.lifted_to}</span>` : nothing}`)}
      ${fact('node', job.node ? nodeLink(job.node) : null)}
      ${fact('capability', job.capability)}
      ${fact('created', time(job.created_at))}
      ${fact('due', time(job.run_at))}
      ${fact('started', job.started_at ? time(job.started_at) : null)}
      ${fact('ended', job.finished_at ? time(job.finished_at) : null)}
      ${fact('waited', job.started_at && job.attempt <= 1 ? duration(Math.max(0, between(job.run_at, job.started_at))) : null)}
      ${fact('took', job.started_at ? elapsed(job.started_at, job.finished_at) : null)}
      ${fact('timeout', job.timeout_ms ? duration(job.timeout_ms) : null)}
      ${fact('expires', job.expires_at ? time(job.expires_at) : null)}
      ${fact('key', job.key ? html`<code>${job.key}</code>` : null)}
      ${fact('batch', job.batch ? html`<a href=${listLink('jobs', { q: `batch:${job.batch}` })}>${job.batch}</a>` : null)}
      ${fact('tags', job.tags?.length ? html`<span class="tags">${job.tags.map((tag) => html`<a class="tag" href=${listLink('jobs', { q: writeQuery([{ name: 'tag', value: tag }]) })}>${tag}</a>`)}</span>` : null)}
      ${metadata.map(([name, value]) => fact(name, html`<a class="tag" href=${listLink('jobs', { q: writeQuery([{ name: `metadata.${name}`, value }]) })}>${value}</a>`))}
      ${fact('earlier error', job.earlier_error && !job.error ? trace(job.earlier_error) : null)}
    </dl>`;
  }

  dependencies(job) {
    return html`<section class="card"><header><h2>Depends on</h2></header><div class="table-box"><table class="list"><tbody>
      ${job.dependencies.map((one) => html`<tr data-row tabindex="-1" data-href=${link('jobs', one.id)}><td><a class="mono" href=${link('jobs', one.id)}>…${one.id.slice(-12)}</a>${one.any_outcome ? html` <span class="muted">any outcome</span>` : nothing}</td><td class="tight">${one.status ? status(one.status) : html`<span class="muted">deleted</span>`}</td></tr>`)}
    </tbody></table></div></section>`;
  }

  commands(job) {
    const args = stringify(job.args);
    const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
    const header = "-H \"Authorization: Bearer $MUSTER_KEY\"";
    const enqueue = stringify({ name: job.name, args: job.args, queue: job.queue });
    const entries = [
      ['Show, CLI', `muster jobs show ${job.id}`],
      ['Show, curl', `curl -s ${header} ${quote(address(path('jobs', job.id)).href)}`],
      ['Enqueue, CLI', `muster jobs enqueue ${job.name} --queue ${quote(job.queue)} --args ${quote(args)}`],
      ['Enqueue, curl', `curl -s ${header} -H 'Content-Type: application/json' -d ${quote(enqueue)} ${quote(address(path('jobs')).href)}`],
    ];
    return html`<section class="card"><header><h2>Copy as command</h2></header><div class="body row">
      ${entries.map(([label, text]) => html`<span title=${text}>${copyButton(text, label, true)}</span>`)}</div></section>`;
  }
}

customElements.define('muster-job', Job);
