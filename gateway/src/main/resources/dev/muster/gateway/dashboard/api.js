import { html } from 'lit'; export { html };
