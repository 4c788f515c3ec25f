// Crons: their schedules in words, the strip of their ticks, and their dialogs.
import { html, nothing } from 'lit';
import { get, path, post, put, remove, request } from '../api.js';
import { ask } from './dialog.js';
import { exact } from './format.js';
import { jsonProblem, parse, stringify } from './lossless.js';
import { status, tone } from './status.js';
import { link } from '../address.js';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const MACROS = {
  '@hourly': 'every hour, on the hour',
  '@daily': 'every day at 00:00',
  '@midnight': 'every day at 00:00',
  '@weekly': 'every Sunday at 00:00',
  '@monthly': 'on day 1 of every month at 00:00',
  '@yearly': 'every year on 1 January at 00:00',
  '@annually': 'every year on 1 January at 00:00',
};

/** A schedule in plain words; the expression itself if it is one that words would not make clearer. */
export function inWords(expression) {
  const text = expression.trim();
  if (MACROS[text]) return MACROS[text];
  const every = /^@every\s+(\S+)$/.exec(text);
  if (every) return `every ${spelled(every[1])}`;
  const fields = text.split(/\s+/);
  if (fields.length === 5) fields.unshift('0');
  if (fields.length !== 6) return text;
  const [second, minute, hour, day, month, weekday] = fields;
  const when = clockWords(second, minute, hour);
  const days = dayWords(day, month, weekday);
  if (when === null || days === null) return text;
  if (/^every/.test(when)) return days === 'every day' ? when : `${when}, ${days}`;
  return `${days} at ${when}`;
}

function spelled(period) {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(period);
  if (!match) return period;
  const unit = { ms: 'millisecond', s: 'second', m: 'minute', h: 'hour', d: 'day' }[match[2]];
  return match[1] === '1' ? unit : `${match[1]} ${unit}s`;
}

const isNumber = (field) => /^\d+$/.test(field);
const two = (value) => String(value).padStart(2, '0');

/** @returns {string | null} null for fields that are too special for words */
function clockWords(second, minute, hour) {
  if (second === '*' && minute === '*' && hour === '*') return 'every second';
  const seconds = /^\*\/(\d+)$/.exec(second);
  if (seconds && minute === '*' && hour === '*') return `every ${seconds[1]} seconds`;
  if (!isNumber(second)) return null;
  const at = second === '0' ? '' : `:${two(second)}`;
  if (minute === '*' && hour === '*') return at ? `every minute, at second ${second}` : 'every minute';
  const step = /^(?:\*|0)\/(\d+)$/.exec(minute);
  if (step && hour === '*') return `every ${step[1]} minutes`;
  const between = /^(\d+)-(\d+)$/.exec(hour);
  if (step && between) return `every ${step[1]} minutes from ${two(between[1])}:00 to ${two(between[2])}:59`;
  if (isNumber(minute) && hour === '*') return minute === '0' ? 'every hour, on the hour' : `every hour at minute ${minute}`;
  const hours = /^(?:\*|0)\/(\d+)$/.exec(hour);
  if (isNumber(minute) && hours) return `every ${hours[1]} hours at minute ${minute}`;
  if (isNumber(minute) && between) return `every hour from ${two(between[1])}:${two(minute)} to ${two(between[2])}:${two(minute)}`;
  if (isNumber(minute) && /^\d+(,\d+)*$/.test(hour)) return joined(hour.split(',').map((one) => `${two(one)}:${two(minute)}${at}`));
  return null;
}

function dayWords(day, month, weekday) {
  const anyDay = day === '*' || day === '?';
  const anyWeekday = weekday === '*' || weekday === '?';
  const months = month === '*' ? '' : named(month, MONTHS, 1);
  if (months === null) return null;
  const suffix = months ? ` in ${months}` : '';
  if (anyDay && anyWeekday) return months ? `every day${suffix}` : 'every day';
  if (anyDay) {
    const upper = weekday.toUpperCase();
    if (upper === 'MON-FRI' || upper === '1-5') return `on weekdays${suffix}`;
    const names = named(weekday, DAYS, 0);
    return names === null ? null : `every ${names}${suffix}`;
  }
  if (!anyWeekday) return null;
  if (day === 'L') return `on the last day of ${months || 'every month'}`;
  if (/^\d+(,\d+)*$/.test(day)) return `on day ${joined(day.split(','))} of ${months || 'every month'}`;
  return null;
}

/** Names for a field of numbers or short names, lists and ranges of them. */
function named(field, names, first) {
  const one = (text) => {
    const index = isNumber(text) ? (Number(text) - first) % (first ? 12 : 7) : names.findIndex((name) => name.slice(0, 3).toUpperCase() === text.toUpperCase());
    return names[index] ?? null;
  };
  const parts = field.split(',').map((part) => {
    const ends = part.split('-').map(one);
    return ends.includes(null) || ends.length > 2 ? null : ends.join(' to ');
  });
  return parts.includes(null) ? null : joined(parts);
}

function joined(list) {
  return list.length < 2 ? list[0] : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`;
}

/** The last ticks, the newest at the right. */
/** Java calls UTC "Z". */
export function zoneName(zone) {
  return zone === 'Z' ? 'UTC' : zone;
}

export function tickStrip(ticks) {
  if (!ticks?.length) return nothing;
  return html`<span class="ticks" data-test="ticks">${[...ticks].reverse().map((tick) => {
    const title = `${exact(tick.at)}: ${tick.status ?? (tick.job ? 'its job is no longer kept' : 'no job')}`;
    return tick.job
      ? html`<a class=${tick.status ? tone(tick.status) : ''} href=${link('jobs', tick.job)} title=${title} aria-label=${title}></a>`
      : html`<span title=${title}></span>`;
  })}</span>`;
}

export function cronStatus(cron) {
  if (cron.gone_at) return status('gone', 'No node declares it any more');
  if (cron.problem) return status('problem', cron.problem);
  if (cron.paused) return status('paused');
  return status('active');
}

export function pauseCron(cron) {
  return cron.paused
    ? ask({ title: `Resume ${cron.name}?`, text: 'It ticks again from its next time on.', action: 'Resume', run: () => post(path('crons', cron.name, 'resume')) })
    : ask({ title: `Pause ${cron.name}?`, text: 'It enqueues no more jobs until you resume it.', action: 'Pause', run: () => post(path('crons', cron.name, 'pause')) });
}

export function triggerCron(cron) {
  return ask({ title: `Trigger ${cron.name} now?`, text: html`Enqueues its job <b>${cron.job}</b> once, outside the schedule.`, action: 'Trigger', run: () => post(path('crons', cron.name, 'trigger')) });
}

export function deleteCron(cron) {
  return ask({
    title: `Delete ${cron.name}?`, text: 'Its jobs stay.', action: 'Delete the cron', danger: true,
    run: async () => {
      await remove(path('crons', cron.name));
      return true;
    },
  });
}

/** What the schedule means as far as words can say it, or how to write one. */
function scheduleHint(expression) {
  const words = inWords(expression);
  return words && words !== expression.trim() ? `${words[0].toUpperCase()}${words.slice(1)}.` : 'minute hour day month weekday, or @every 30s, @hourly, @daily';
}

/** Creates a cron, or changes one that was created at run time; somebody else's change in between is refused, not overwritten. */
export async function editCron(cron) {
  let spec = { name: '', expression: '', zone: 'UTC', job: '', misfire: 'fire_once', overlap: 'allow' };
  let tag = null;
  if (cron) {
    const shown = await request('GET', path('crons', cron.name));
    tag = shown.headers.get('ETag');
    spec = await get(path('crons', cron.name, 'spec'));
  }
  return ask({
    title: cron ? `Change ${cron.name}` : 'Create a cron',
    action: cron ? 'Save' : 'Create',
    wide: true,
    fields: [
      ...(cron ? [] : [{ name: 'name', label: 'Name', value: '', required: true, placeholder: 'nightly_report' }]),
      { name: 'expression', label: 'Schedule', value: spec.expression, required: true, placeholder: '30 2 * * MON-FRI', hint: ({ expression }) => scheduleHint(expression) },
      { name: 'zone', label: 'Time zone', value: spec.zone ?? '', placeholder: 'Europe/Berlin' },
      { name: 'job', label: 'Job', value: spec.job, required: true },
      { name: 'args', label: 'Args', value: spec.args === undefined || spec.args === null ? '' : stringify(spec.args, 2), rows: 4, check: jsonProblem },
      { name: 'misfire', label: 'Missed ticks', value: spec.misfire ?? '', options: ['fire_once', 'skip', 'catch_up'] },
      { name: 'overlap', label: 'While its last job still runs', value: spec.overlap ?? '', options: ['allow', 'skip'] },
      { name: 'jitter', label: 'Jitter', value: spec.jitter ?? '', placeholder: '0s' },
    ],
    run: (given) => {
      const body = { ...spec };
      for (const name of ['name', 'expression', 'zone', 'job', 'misfire', 'overlap', 'jitter']) {
        if (given[name]?.trim()) body[name] = given[name].trim();
        else if (name in given) delete body[name];
      }
      if (body.misfire !== 'catch_up') delete body.catch_up_limit;
      delete body.args;
      if (given.args.trim()) body.args = parse(given.args);
      if (!cron) return post(path('crons'), body);
      body.name = cron.name;
      return put(path('crons', cron.name), body, tag ? { 'If-Match': tag } : {});
    },
  });
}
