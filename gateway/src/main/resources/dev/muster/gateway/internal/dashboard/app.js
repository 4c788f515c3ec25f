// The frame of the page: who is logged in, where one can go, and whether what is shown is live.
import { html, nothing, render } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { link } from './address.js';
import { hasKey, setKey, whenUnauthorized } from './api.js';
import { live } from './events.js';
import { KEYS, listenToKeys, listenToRows } from './keys.js';
import { icon } from './parts/icons.js';
import { PageElement } from './parts/element.js';
import { failure, loading } from './parts/states.js';
import './parts/toast.js';
import { current } from './router.js';
import { SCREENS } from './screens.js';
import { session } from './session.js';

const LIVE_TEXTS = {
  connecting: ['Connecting', 'The page connects to the gateway.'],
  live: ['Live', 'Changes show at once.'],
  reconnecting: ['Reconnecting', 'The connection broke; the page reconnects.'],
  gone: ['Node gone', 'The gateway does not answer. The page keeps trying.'],
  busy: ['Polling', 'The gateway cannot send events now: it has too many listeners, or it is about to leave. The page asks every few seconds.'],
  off: ['Polling', 'This gateway sends no events to you; the page asks every few seconds.'],
};
const THEMES = ['system', 'light', 'dark'];

/** What is said about a key that did not get in. */
function keyProblem(error) {
  return error.status === 401 ? new Error('This key is not accepted: it is wrong, has expired or was revoked.') : error;
}

class App extends PageElement {
  /** `starting`, `login`, `ready` or `failed` */
  #phase = 'starting';
  #problem = null;
  #route = current();
  #loaded = new Set();
  #menuOpen = false;

  connectedCallback() {
    super.connectedCallback();
    addEventListener('hashchange', () => this.#moved());
    live.addEventListener('state', () => this.requestUpdate());
    whenUnauthorized(() => this.#askForKey());
    live.addEventListener('unauthorized', () => this.#askForKey());
    listenToKeys({ help: () => this.#showKeys(), escape: () => this.#closeMenu() });
    listenToRows(this);
    this.#start();
  }

  async #start() {
    try {
      await session.load();
      this.#problem = null;
      this.#phase = 'ready';
      live.refresh();
      if (session.confined && !this.#route.screen?.forTenants) location.hash = '#/jobs';
      live.start();
      this.#moved();
    } catch (e) {
      if (e.status === 401 || (e.status === 429 && hasKey())) {
        this.#problem = hasKey() ? keyProblem(e) : null;
        setKey(null);
        this.#phase = 'login';
      } else {
        this.#problem = e;
        this.#phase = 'failed';
        setTimeout(() => this.#phase === 'failed' && this.#start(), 2_000);
      }
    }
    this.requestUpdate();
  }

  /** The page below stays as it is, so that nothing is lost when the key was accepted. */
  #askForKey() {
    if (this.#phase !== 'ready') return;
    live.stop();
    setKey(null);
    this.#problem = new Error('Your key is no longer accepted: it has expired or was revoked.');
    this.#phase = 'login';
    this.requestUpdate();
  }

  async #moved() {
    const before = this.#route;
    this.#route = current();
    if (before.screen !== this.#route.screen || before.id !== this.#route.id) scrollTo(0, 0);
    this.#menuOpen = false;
    const { screen } = this.#route;
    this.requestUpdate();
    if (screen && !this.#loaded.has(screen)) {
      try {
        await screen.load();
        this.#loaded.add(screen);
      } catch (e) {
        console.error(e);
        this.#problem = e;
      }
      this.requestUpdate();
    }
    await this.updateComplete;
    document.title = `${this.#route.id ?? screen?.title ?? 'Not found'} · Muster`;
    dispatchEvent(new Event('screen-shown'));
  }

  updated() {
    const field = this.querySelector('#login-key');
    if (field && !field.matches(':focus') && !field.value) field.focus();
    if (this.#phase !== 'starting') this.querySelector('.booting')?.remove();
  }

  render() {
    if (this.#phase === 'starting') return nothing;
    if (this.#phase === 'failed') return html`<div class="gate">${this.#brand()}${failure(this.#problem, () => this.#start())}</div>`;
    return html`
      ${this.#phase === 'login' ? this.#login() : nothing}
      ${session.me ? this.#frame() : nothing}
      <muster-toasts></muster-toasts>`;
  }

  #brand() {
    return html`<a class="brand" href="#/"><img src="assets/icon.svg" width="22" height="22" alt="">Muster</a>`;
  }

  #login() {
    const submit = (event) => {
      event.preventDefault();
      const field = event.target.elements.key;
      const text = field.value.trim();
      field.value = '';
      if (/[^\x20-\x7e]/.test(text)) {
        // The browser cannot send it.
        this.#problem = new Error('This is not a key: it has characters that no key has. Was it copied as a whole?');
        this.requestUpdate();
        return;
      }
      setKey(text);
      this.#start();
    };
    return html`<div class="gate ${session.me ? 'over' : ''}" data-test="login">
      <form class="card login" @submit=${submit}>
        ${this.#brand()}
        <h1>API key</h1>
        ${this.#problem ? html`<p class="note bad" role="alert" data-test="login-error">${this.#problem.message}</p>` : nothing}
        <label for="login-key">Paste a key or a token</label>
        <input id="login-key" name="key" type="password" required autocomplete="off" autofocus spellcheck="false" placeholder="mk_…">
        <button type="submit" class="button primary">Open the dashboard</button>
        <p class="muted">Create a key on a machine that reaches the database:</p>
        <pre>muster keys create --name me --scope read</pre>
        <p class="muted">The scope <code>read</code> shows everything, <code>write</code> also retries and cancels jobs, <code>admin</code> also
        pauses queues and drains nodes. The key stays in this tab and is forgotten when you close it.</p>
      </form></div>`;
  }

  #frame() {
    const { screen, id, query } = this.#route;
    return html`<div class="frame" ?inert=${this.#phase === 'login'}>
      <header class="top">
        <button type="button" class="icon-button menu" aria-label="Navigation" aria-expanded=${this.#menuOpen} data-test="menu"
          @click=${() => { this.#menuOpen = !this.#menuOpen; this.requestUpdate(); }}>${icon(this.#menuOpen ? 'close' : 'menu')}</button>
        ${this.#brand()}
        ${session.me.node ? html`<span class="where" title="The node that answers this page${session.me.version ? `, version ${session.me.version}` : ''}">${session.me.node}</span>` : nothing}
        <span class="space"></span>
        ${this.#liveState()}
        ${this.#who()}
        ${this.#theme()}
        <button type="button" class="icon-button keys" aria-label="Keyboard" title="Keyboard (?)" @click=${() => this.#showKeys()}>${icon('help')}</button>
      </header>
      <nav class="side ${this.#menuOpen ? 'open' : ''}" aria-label="Screens">
        ${this.#screens().map((one) => html`<a href=${link(...(one.at ? [one.at] : []))} data-test="nav-${one.at || 'overview'}" title=${one.title}
          aria-current=${this.#isAt(one) ? 'page' : nothing}>${icon(one.icon)}<span>${one.title}</span></a>`)}
      </nav>
      <main id="main" tabindex="-1">
        ${session.restriction ? html`<p class="note restriction" data-test="restriction">${session.restriction}</p>` : nothing}
        ${this.#screen(screen, id, query)}
      </main>
    </div>`;
  }

  #screens() {
    return SCREENS.filter((one) => one.icon)
      .filter((one) => !session.confined || one.forTenants)
      .filter((one) => !one.scope || session.me.observer || session.may(one.scope));
  }

  #isAt(one) {
    return this.#route.screen?.at.split('/')[0] === one.at;
  }

  #screen(screen, id, query) {
    if (!screen) {
      return html`<div class="state" data-test="not-found"><strong>There is no such page</strong><a href="#/">Overview</a></div>`;
    }
    if (!this.#loaded.has(screen)) return this.#problem ? failure(this.#problem, () => location.reload()) : loading();
    const key = id === null ? screen.at : `${screen.at} ${id}`;
    return keyed(key, html`<muster-screen .route=${{ tag: screen.tag, thing: id, query }}></muster-screen>`);
  }

  #liveState() {
    const [text, title] = LIVE_TEXTS[live.state];
    return html`<span class="live is-${live.state}" role="status" title=${title} data-test="live" data-state=${live.state}>
      <span class="dot" aria-hidden="true"></span><span class="label">${text}</span></span>`;
  }

  #who() {
    const { me } = session;
    if (!me.id) return nothing;
    const what = me.observer ? 'observer' : me.scope;
    const open = me.auth === 'none';
    return html`<span class="who" data-test="who" title=${open ? 'No key is needed on this machine (gateway.auth = none)' : `${me.id}, scope ${me.scope}${me.tenant ? `, tenant ${me.tenant}` : ''}`}>
      ${icon('key')}<span class="label">${open ? 'no login' : me.id}</span><span class="tag">${me.tenant ?? what}</span></span>
      ${hasKey() ? html`<button type="button" class="button small" data-test="logout" @click=${() => this.#logOut()}>Log out</button>` : nothing}`;
  }

  #logOut() {
    setKey(null);
    location.reload();
  }

  #theme() {
    const now = document.documentElement.dataset.theme ?? 'system';
    const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    return html`<button type="button" class="icon-button" data-test="theme" aria-label="Theme: ${now}" title="Theme: ${now}. Click for ${next}."
      @click=${() => this.#setTheme(next)}>${icon({ system: 'system', light: 'sun', dark: 'moon' }[now])}</button>`;
  }

  #setTheme(name) {
    const root = document.documentElement;
    if (name === 'system') delete root.dataset.theme;
    else root.dataset.theme = name;
    try {
      if (name === 'system') localStorage.removeItem('muster-theme');
      else localStorage.setItem('muster-theme', name);
    } catch {
      // Storage may be switched off; the choice holds until the tab is closed.
    }
    this.requestUpdate();
  }

  #closeMenu() {
    this.#menuOpen = false;
    document.activeElement?.blur?.();
    this.requestUpdate();
  }

  #showKeys() {
    const dialog = document.createElement('dialog');
    dialog.className = 'dialog';
    dialog.dataset.test = 'keys';
    const close = () => {
      dialog.close();
      dialog.remove();
    };
    render(html`<h2>Keys</h2><dl class="keys-list">${KEYS.map(([key, what]) => html`<dt>${key.split(' ').filter(Boolean).map((one) => html`<kbd>${one}</kbd>`)}</dt><dd>${what}</dd>`)}</dl>
      <div class="dialog-buttons"><button type="button" class="button" autofocus @click=${close}>Close</button></div>`, dialog);
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
}

/** Holds the element of the current screen, and hands it what the address says. */
class CurrentScreen extends HTMLElement {
  set route({ tag, thing, query }) {
    const shown = this.firstElementChild;
    if (shown?.localName === tag) {
      Object.assign(shown, { thing, query });
      return;
    }
    const next = Object.assign(document.createElement(tag), { thing, query });
    this.replaceChildren(next);
  }
}

customElements.define('muster-screen', CurrentScreen);
customElements.define('muster-app', App);
