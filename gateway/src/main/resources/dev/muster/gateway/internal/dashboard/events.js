// The live connection: server-sent events, read with fetch because the key is a header.
import { address, authorisation } from './api.js';

const MAX_WAIT_MS = 2_000;
const GONE_MS = 5_000;
/** The gateway sends a comment every 15 s; a connection that is silent for longer is dead. */
const SILENCE_MS = 40_000;
/** Browsers allow six connections to a host over HTTP/1.1: tabs that nobody looks at give theirs back. */
const HIDDEN_MS = 10_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * One connection for the whole page. States: `connecting`, `live`, `reconnecting`, `gone` (the node has not answered for a while), `busy` (it
 * answers, and has sent no events for a while: screens poll), `off` (this gateway has no events, or not for this caller: screens poll).
 *
 * Fires `state` when its state changes, `reset` when screens have to reload, `unauthorized` when the key is no longer accepted, and each event by its name with the data as `detail`.
 */
class Live extends EventTarget {
  state = 'connecting';
  #lastId = null;
  #watched = { job: new Map(), run: new Map() };
  #wanted = false;
  #stop = null;
  #failures = 0;
  #lostAt = null;
  #restart = null;
  /** Whether something may have been missed since the last connection. */
  #broken = false;

  constructor() {
    super();
    let timer = null;
    document.addEventListener('visibilitychange', () => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(() => this.#suspend(), HIDDEN_MS);
      else this.#resume();
    });
    addEventListener('pagehide', () => this.#suspend());
    addEventListener('pageshow', () => this.#resume());
  }

  start() {
    this.#wanted = true;
    if (!this.#stop) this.#run();
  }

  stop() {
    this.#wanted = false;
    this.#suspend();
    this.#lastId = null;
  }

  #suspend() {
    this.#stop?.abort();
    this.#stop = null;
  }

  #resume() {
    if (!this.#wanted || this.#stop || this.state === 'off') return;
    this.#broken = true;
    this.#run();
  }

  /** Makes all screens reload. */
  refresh() {
    this.#emit('reset', { reason: 'refresh' });
  }

  /** Asks for `watched` or `run` events of one thing until the returned function is called. */
  watch(kind, id) {
    const counts = this.#watched[kind];
    counts.set(id, (counts.get(id) ?? 0) + 1);
    this.#reconnectSoon();
    return () => {
      const left = counts.get(id) - 1;
      if (left > 0) counts.set(id, left);
      else counts.delete(id);
      this.#reconnectSoon();
    };
  }

  /** Listens until the returned function is called. */
  on(names, listener) {
    for (const name of names) this.addEventListener(name, listener);
    return () => names.forEach((name) => this.removeEventListener(name, listener));
  }

  /** Several screens may come and go in one turn; there is one new connection. */
  #reconnectSoon() {
    clearTimeout(this.#restart);
    this.#restart = setTimeout(() => {
      if (!this.#stop || this.state === 'off') return;
      this.#stop.abort();
      this.#run();
    }, 50);
  }

  async #run() {
    const stop = new AbortController();
    this.#stop = stop;
    while (!stop.signal.aborted) {
      const ended = await this.#connection(stop.signal);
      if (stop.signal.aborted) return;
      if (ended === 'off') {
        this.#stop = null;
        this.#become('off');
        return;
      }
      this.#broken = true;
      this.#failures = ended === 'reset' ? 0 : this.#failures + 1;
      this.#lostAt ??= Date.now();
      const lost = ended === 'refused' ? 'busy' : 'gone';
      this.#become(Date.now() - this.#lostAt > GONE_MS ? lost : 'reconnecting');
      await this.#wait(Math.min(MAX_WAIT_MS, 100 * 2 ** this.#failures) * (0.5 + Math.random() / 2));
    }
  }

  #wait(ms) {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** One connection, until it ends; says how it ended. */
  async #connection(outer) {
    const dead = new AbortController();
    const abort = () => dead.abort();
    outer.addEventListener('abort', abort);
    let timer = setTimeout(abort, SILENCE_MS);
    try {
      const response = await fetch(address('_api/events', this.#query()), {
        headers: { Accept: 'text/event-stream', ...authorisation(), ...(this.#lastId ? { 'Last-Event-ID': this.#lastId } : {}) },
        cache: 'no-store',
        // An application that serves the dashboard itself knows its users by a cookie or by what they told the browser.
        credentials: 'same-origin',
        redirect: 'error',
        signal: dead.signal,
      });
      if (response.status === 401) this.#emit('unauthorized');
      if ([401, 403, 404, 405].includes(response.status)) return 'off';
      // Every answer of a gateway has this header; that of a proxy before a gateway that is gone has not.
      if (!response.ok && response.headers.has('X-Request-Id')) return 'refused';
      if (!response.ok || !response.body) return 'failed';
      this.#failures = 0;
      this.#lostAt = null;
      this.#become('live');
      if (this.#broken) this.refresh();
      this.#broken = false;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const frames = new Frames();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return 'ended';
        clearTimeout(timer);
        timer = setTimeout(abort, SILENCE_MS);
        for (const frame of frames.push(value)) {
          if (frame.id !== null) this.#lastId = frame.id;
          if (frame.event === 'reset') {
            this.#lastId = null;
            return 'reset';
          }
          this.#emit(frame.event, frame.data);
        }
      }
    } catch {
      return 'failed';
    } finally {
      clearTimeout(timer);
      outer.removeEventListener('abort', abort);
      dead.abort();
    }
  }

  #query() {
    const query = [];
    for (const kind of ['job', 'run']) {
      // An address that somebody typed may have anything as an id; the gateway would refuse the whole connection.
      const ids = [...this.#watched[kind].keys()].filter((id) => UUID.test(id));
      for (const id of ids.slice(0, 100)) query.push([kind, id]);
    }
    return query;
  }

  #emit(name, data) {
    this.dispatchEvent(new CustomEvent(name, { detail: data }));
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new Event('state'));
  }
}

/** Cuts a stream of text into events. */
class Frames {
  #rest = '';

  push(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    const frames = [];
    let begin = 0;
    for (let i = 0; i < lines.length - 1; i++) {
      if (lines[i] === '') {
        const frame = Frames.#frame(lines.slice(begin, i));
        if (frame) frames.push(frame);
        begin = i + 1;
      }
    }
    this.#rest = lines.slice(begin).join('\n');
    return frames;
  }

  static #frame(lines) {
    const frame = { id: null, event: 'message', data: '' };
    for (const line of lines) {
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name === 'data') frame.data += (frame.data ? '\n' : '') + value;
      else if (name === 'id' || name === 'event') frame[name] = value;
    }
    if (!frame.data) return null;
    try {
      frame.data = JSON.parse(frame.data);
    } catch {
      return null;
    }
    return frame;
  }
}

export const live = new Live();
