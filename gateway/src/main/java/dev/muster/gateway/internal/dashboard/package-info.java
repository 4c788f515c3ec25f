/**
 * The dashboard: serves its page and files. They are resources of this package, and Lit's, which are in jars of their own.
 *
 * <pre>
 *   GET /                        index.html
 *   GET /assets/app.js           app.js of this package; the same for style.css, screens/jobs.js and so on
 *   GET /assets/npm/lit/html.js  html.js of the package lit, whatever its version is
 * </pre>
 *
 * <p>Nothing is built: browsers get the modules as they are written, and find Lit by the import map of the page. All addresses in the
 * page are relative, so that it works behind a proxy under any path.
 *
 * <h2>Trust</h2>
 *
 * <ul>
 *   <li>The files are the same for everybody and hold no data. All data comes from the routes of the API, with the key that the user has
 *       typed in. The page keeps the key in its memory and nowhere else: there are no cookies, so no other page can use it.
 *   <li>The content security policy allows scripts and styles of this origin alone, and none within the page but the import map, by its
 *       hash. The page shows texts of users as text nodes only.
 *   <li>Only names that match a pattern are looked up: no name leads out of the folders.
 * </ul>
 */
@NullMarked
package dev.muster.gateway.internal.dashboard;

import org.jspecify.annotations.NullMarked;
