// JSON that keeps every number as it was written: ids and amounts of users may have more digits than a JavaScript number holds.

/** A number that JavaScript would change, kept as its text. */
export class ExactNumber {
  constructor(source) {
    this.source = source;
  }

  toString() {
    return this.source;
  }

  /** Close enough for charts and sums. */
  valueOf() {
    return Number(this.source);
  }
}

// A string or a number. Strings are matched so that digits within them are left alone.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const SUSPICIOUS = /[\d.]{16}|\d[eE][+-]?\d{3}/;
const MARK = `\u0001${Math.random().toString(36).slice(2)}:`;

/** Whether the number has more digits than JavaScript keeps, or is too large or too small for it, and would come out different. */
function wouldChange(token) {
  const digits = token.replace(/[eE].*/, '').replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
  const value = Number(token);
  if (!Number.isFinite(value) || (value === 0 && digits)) return true;
  return digits.length > 15 && String(value) !== token;
}

/** Parses JSON; numbers that would not come out as they went in become {@link ExactNumber}. */
export function parse(text) {
  if (!SUSPICIOUS.test(text)) return JSON.parse(text);
  let marked = false;
  const safe = text.replace(TOKEN, (token) => {
    if (token[0] === '"' || !wouldChange(token)) return token;
    marked = true;
    return JSON.stringify(MARK + token);
  });
  if (!marked) return JSON.parse(text);
  return JSON.parse(safe, (key, value) =>
    typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value);
}

/** Writes what {@link parse} read, with the same numbers. */
export function stringify(value, indent = 0, depth = 0) {
  const line = indent ? `\n${' '.repeat(indent * (depth + 1))}` : '';
  const end = indent ? `\n${' '.repeat(indent * depth)}` : '';
  const colon = indent ? ': ' : ':';
  if (value instanceof ExactNumber) return value.source;
  if (Array.isArray(value)) {
    if (!value.length) return '[]';
    return `[${value.map((one) => line + stringify(one, indent, depth + 1)).join(',')}${end}]`;
  }
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value);
    if (!members.length) return '{}';
    return `{${members
      .map(([name, one]) => line + JSON.stringify(name) + colon + stringify(one, indent, depth + 1))
      .join(',')}${end}}`;
  }
  return JSON.stringify(value === undefined ? null : value);
}

/** What is wrong with a text that should be JSON or empty, for the field in which it stands; null if nothing is. */
export function jsonProblem(text) {
  if (!text.trim()) return null;
  try {
    parse(text);
    return null;
  } catch (e) {
    return `This is not JSON: ${e.message}`;
  }
}
