import { LitElement } from 'lit';

/** An element that renders into the page itself, so that the one stylesheet applies: the policy of the page allows no other styles. */
export class PageElement extends LitElement {
  createRenderRoot() {
    return this;
  }
}
