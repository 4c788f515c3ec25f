/** A shop with Spring Boot: its orders, its jobs and workflow, and the dashboard behind its own login. */
@NullMarked
package dev.muster.examples.spring;

import org.jspecify.annotations.NullMarked;
