// The search of jobs: qualified words such as name:mail queue:orders tag:vip metadata.customer:42

const WORD = /(?:([A-Za-z_]+(?:\.[^\s:"]+)?):)?(?:"((?:[^"\\]|\\.)*)"|(\S+))/g;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const QUALIFIERS = [
  ['name:send_mail', 'jobs with this name; a word without a qualifier means the same'],
  ['queue:orders', 'jobs of this queue'],
  ['tag:vip', 'jobs with this tag; several tags must all be there'],
  ['metadata.customer:42', 'jobs with this metadata'],
  ['key:order-17', 'the job with this key'],
  ['batch:ID', 'jobs of this batch'],
  ['status:failed', 'jobs with this status; several are allowed'],
  ['id:ID', 'one job; an id alone opens it'],
];
const KNOWN = ['name', 'queue', 'tag', 'key', 'batch', 'status', 'id'];

/**
 * @returns {{filters: {name: string, value: string}[], unknown: string[]}} the filters as the API takes them, and qualifiers it does not know
 */
export function parseQuery(text) {
  const filters = [];
  const unknown = [];
  for (const [whole, qualifier, quoted, plain] of text.matchAll(WORD)) {
    const value = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1');
    if (qualifier === undefined && /^[a-z_.]+:$/.test(value)) continue; // somebody is still typing
    if (qualifier === undefined) filters.push({ name: UUID.test(value) ? 'id' : 'name', value });
    else if (KNOWN.includes(qualifier) || /^metadata\../.test(qualifier)) filters.push({ name: qualifier, value });
    else unknown.push(whole);
  }
  return { filters, unknown };
}

export function writeQuery(filters) {
  return filters.map(({ name, value }) => `${name}:${/[\s"]/.test(value) || value === '' ? JSON.stringify(value) : value}`).join(' ');
}
