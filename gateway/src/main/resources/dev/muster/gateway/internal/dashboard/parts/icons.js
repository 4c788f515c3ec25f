import { svg, html } from 'lit';

// Drawn on a grid of 16 with lines of 1.5.
const PATHS = {
  overview: 'M2.5 13.5v-4M6.2 13.5v-8M9.9 13.5v-5M13.5 13.5V2.5',
  jobs: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  queues: 'M2.5 3h11v3h-11zM2.5 10h11v3h-11zM5 6v4M11 6v4',
  nodes: 'M3 2.5h10v4.5H3zM3 9h10v4.5H3zM5.5 4.8h.01M5.5 11.3h.01',
  crons: 'M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2M8 5v3.2l2.2 1.4',
  daemons: 'M4.5 7V5a3.5 3.5 0 0 1 7 0v2M3 7h10v6.5H3z',
  workflows: 'M2.5 3.5h4v3h-4zM9.5 9.5h4v3h-4zM6.5 5h3.2a1.8 1.8 0 0 1 1.8 1.8v2.7',
  graphs: 'M3.5 8a1.5 1.5 0 1 0 0-.01M12.5 4a1.5 1.5 0 1 0 0-.01M12.5 12a1.5 1.5 0 1 0 0-.01M5 7.3l6-2.7M5 8.7l6 2.7',
  limits: 'M2.5 12.5a5.5 5.5 0 1 1 11 0M8 12l2.6-4',
  audit: 'M4 2.5h6l2.5 2.5v8.5H4zM6 7h4.5M6 10h4.5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4M10.2 10.2l3.3 3.3',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3a5.5 5.5 0 1 0 6.6 6.6',
  system: 'M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3',
  key: 'M10.5 2.5a3 3 0 1 1-2.2 5.1L3 13v-2.5M5.2 10.8l1.5 1.5',
  warn: 'M8 2.5l6 10.8H2zM8 6.5v3M8 11.4h.01',
  next: 'M6 3.5L10.5 8 6 12.5',
  back: 'M10 3.5L5.5 8l4.5 4.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6L12.5 8z',
  leader: 'M2.5 11.5l-.5-6 3.5 2.5L8 3.5 10.5 8 14 5.5l-.5 6z',
  help: 'M6 6a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1v.4M8 11.8h.01M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8',
};

/** A picture beside a text, or one whose button has a name: screen readers skip it. */
export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${svg`<path d=${PATHS[name]} />`}</svg>`;
}
