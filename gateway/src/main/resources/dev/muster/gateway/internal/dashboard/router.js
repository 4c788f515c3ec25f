// Says which screen the address of the page names.
import { SCREENS } from './screens.js';

/** Where the page is now: `{ screen, id, query }`; the screen is undefined for an unknown address. */
export function current() {
  const hash = location.hash.replace(/^#\/?/, '');
  const [path, search = ''] = hash.split(/\?(.*)/s);
  const parts = path.split('/').filter((part) => part !== '');
  let id = null;
  try {
    id = parts.length > 1 ? decodeURIComponent(parts.slice(1).join('/')) : null;
  } catch {
    return { screen: undefined, id: null, query: new URLSearchParams() };
  }
  const at = parts.length > 1 ? `${parts[0]}/*` : (parts[0] ?? '');
  return { screen: SCREENS.find((one) => one.at === at), id, query: new URLSearchParams(search) };
}
