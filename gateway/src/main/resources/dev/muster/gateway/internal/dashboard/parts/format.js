// Numbers, durations and times as people read them.
import { html, nothing } from 'lit';
import { now } from '../api.js';
import { PageElement } from './element.js';

const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const EXACT = new Intl.DateTimeFormat(undefined, {
  year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3,
  hourCycle: 'h23', timeZoneName: 'short',
});
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const CLOCK_SECONDS = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const DAY_SECONDS = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** 12,345; a dash for nothing. */
export function number(value) {
  if (value === null || value === undefined) return '–';
  return typeof value === 'number' ? GROUPED.format(value) : String(value);
}

/** A count that may be a lower bound: 10,000+. Nothing if it is not known: "at least none" tells nobody anything. */
export function bounded(count) {
  if (count === null || count === undefined || (!count.exact && !count.count)) return '';
  return `${number(count.count)}${count.exact ? '' : '+'}`;
}

/** "1 job", "12 jobs". */
export function plural(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** A short text for a rate in a minute. */
export function rate(perMinute) {
  if (perMinute === null || perMinute === undefined) return '–';
  if (perMinute >= 600) return `${number(perMinute / 60)}/s`;
  if (perMinute >= 10 || perMinute === 0) return `${number(perMinute)}/min`;
  return perMinute < 0.1 ? '< 0.1/min' : `${perMinute.toFixed(1)}/min`;
}

/** 340 ms, 2.4 s, 3 m 20 s, 5 h 12 m. */
export function duration(ms) {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return '–';
  const abs = Math.abs(ms);
  if (abs < 1_000) return `${Math.round(ms)} ms`;
  if (abs < 10_000) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`;
  if (abs < 60_000) return `${Math.round(ms / 1_000)} s`;
  if (abs < 3_600_000) return pair(ms, 60_000, 'm', 1_000, 's');
  if (abs < 86_400_000) return pair(ms, 3_600_000, 'h', 60_000, 'm');
  return pair(ms, 86_400_000, 'd', 3_600_000, 'h');
}

function pair(ms, big, bigName, small, smallName) {
  const whole = Math.floor(ms / big);
  const rest = Math.floor((ms - whole * big) / small);
  return rest ? `${whole} ${bigName} ${rest} ${smallName}` : `${whole} ${bigName}`;
}

export function between(from, to) {
  return from && to ? Date.parse(to) - Date.parse(from) : null;
}

export function exact(at) {
  return EXACT.format(new Date(at));
}

export function clock(at, seconds = false) {
  return (seconds ? CLOCK_SECONDS : CLOCK).format(new Date(at));
}

export function day(at, seconds = false) {
  return (seconds ? DAY_SECONDS : DAY).format(new Date(at));
}

export function bytes(count) {
  if (count === null || count === undefined) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = Number(count);
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A job that waits for an event is parked: the time at which it is due lies thousands of years ahead. */
const NEVER_MS = 1_000 * 365 * 86_400_000;

/** "12 s ago", "in 3 m". */
export function relative(at) {
  const ms = Date.parse(at) - now();
  const abs = Math.abs(ms);
  if (ms > NEVER_MS) return 'when it is woken';
  if (abs < 1_500) return 'now';
  let text;
  if (abs < 60_000) text = `${Math.round(abs / 1_000)} s`;
  else if (abs < 3_600_000) text = `${Math.round(abs / 60_000)} m`;
  else if (abs < 86_400_000) text = `${Math.round(abs / 3_600_000)} h`;
  else text = `${Math.round(abs / 86_400_000)} d`;
  return ms < 0 ? `${text} ago` : `in ${text}`;
}

const shown = new Set();
setInterval(() => {
  if (!document.hidden) shown.forEach((element) => element.tick());
}, 1_000);

/** A time, relative to now, with the exact one as its title. */
class TimeElement extends PageElement {
  static properties = { at: {} };

  connectedCallback() {
    super.connectedCallback();
    shown.add(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    shown.delete(this);
  }

  tick() {
    if (this.at && relative(this.at) !== this.last) this.requestUpdate();
  }

  render() {
    this.last = relative(this.at);
    return html`<time datetime=${this.at} title=${exact(this.at)}>${this.last}</time>`;
  }
}

/** A duration that grows until `to` is known. */
class ElapsedElement extends PageElement {
  static properties = { from: {}, to: {} };

  connectedCallback() {
    super.connectedCallback();
    shown.add(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    shown.delete(this);
  }

  tick() {
    if (!this.to) this.requestUpdate();
  }

  render() {
    const end = this.to ? Date.parse(this.to) : now();
    return html`<span class="num">${duration(Math.max(0, end - Date.parse(this.from)))}</span>`;
  }
}

customElements.define('muster-time', TimeElement);
customElements.define('muster-elapsed', ElapsedElement);

export function time(at, otherwise = '–') {
  return at ? html`<muster-time .at=${at}></muster-time>` : otherwise;
}

export function elapsed(from, to) {
  return from ? html`<muster-elapsed .from=${from} .to=${to}></muster-elapsed>` : nothing;
}
