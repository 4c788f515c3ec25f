// Makes addresses within the page, such as #/jobs?status=failed&q=name:mail. It knows no screens, so that every screen can link to any other one.

/** The address of a thing, such as `link('jobs', id)`. */
export function link(...parts) {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/** The address of a list with its filters; empty ones are left out. */
export function listLink(name, query) {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined));
  return `#/${name}${search.size ? `?${search}` : ''}`;
}

export function go(address) {
  location.hash = address;
}
