/** What tests of Muster itself use, and users do not. */
@NullMarked
package dev.muster.testkit.internal;

import org.jspecify.annotations.NullMarked;
