// Requests to the gateway. The key lives in this module and nowhere else: closing the tab forgets it.
import { parse, stringify } from './parts/lossless.js';

let key = null;
let clockOffset = 0;
let onUnauthorized = () => {};

/** What the gateway, or the lack of one, said about a request that did not succeed. */
export class ApiError extends Error {
  constructor(status, code, message, requestId, details) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
  }
}

export function setKey(text) {
  key = text || null;
}

export function hasKey() {
  return key !== null;
}

/** Calls back when the gateway does not, or no longer, accept the key. */
export function whenUnauthorized(callback) {
  onUnauthorized = callback;
}

/** The time by the gateway's clock: browsers' clocks may be wrong. */
export function now() {
  return Date.now() + clockOffset;
}

/** The address of a path of the API, relative to the page. */
export function address(path, query) {
  const url = new URL(path, document.baseURI);
  url.hash = '';
  for (const [name, value] of query ?? []) url.searchParams.append(name, value);
  return url;
}

export function authorisation() {
  return key === null ? {} : { Authorization: `Bearer ${key}` };
}

/** A path from its parts, each of which may be any text. */
export function path(...parts) {
  return `_api/${parts.map(encodeURIComponent).join('/')}`;
}

/**
 * Sends a request and resolves to its answer: `{ data, headers }`.
 *
 * @param {string} method
 * @param {string} where made by {@link path}
 * @param {{query?: Iterable<[string, string]>, body?: unknown, headers?: object, signal?: AbortSignal}} options
 * @throws {ApiError}
 */
export async function request(method, where, { query, body, headers, signal } = {}) {
  let response;
  let text;
  try {
    response = await fetch(address(where, query), {
      method,
      signal,
      cache: 'no-store',
      // An application that serves the dashboard itself knows its users by a cookie or by what they told the browser.
      credentials: 'same-origin',
      redirect: 'manual',
      headers: { ...authorisation(), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : stringify(body),
    });
    text = await response.text();
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new ApiError(0, 'unreachable', 'The gateway does not answer.', null, null);
  }
  if (response.type === 'opaqueredirect') {
    throw new ApiError(0, 'login_needed', 'Your session has ended. Reload the page to log in again.', null, null);
  }
  learnTime(response.headers.get('Date'));
  const data = read(text);
  if (response.ok) return { data, headers: response.headers };
  const requestId = response.headers.get('X-Request-Id');
  if (response.status === 401) onUnauthorized();
  const message = data?.error?.message ?? `The gateway answered ${response.status}.`;
  throw new ApiError(response.status, data?.error?.code ?? 'unknown', message, data?.request_id ?? requestId, data?.error?.details);
}

function read(text) {
  if (!text) return null;
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** The header has whole seconds, so small differences mean nothing. */
function learnTime(header) {
  const at = header ? Date.parse(header) : NaN;
  if (Number.isNaN(at)) return;
  const offset = at + 500 - Date.now();
  clockOffset = Math.abs(offset) > 2000 ? offset : 0;
}

export async function get(where, query, signal) {
  return (await request('GET', where, { query, signal })).data;
}

export async function post(where, body, query) {
  return (await request('POST', where, { body, query })).data;
}

export async function put(where, body, headers) {
  return (await request('PUT', where, { body, headers })).data;
}

export async function remove(where, headers) {
  return (await request('DELETE', where, { headers })).data;
}
