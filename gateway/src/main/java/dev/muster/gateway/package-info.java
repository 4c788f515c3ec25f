/** HTTP for programs. */
@NullMarked
package dev.muster.gateway;

import org.jspecify.annotations.NullMarked;
