/**
 * Functions: queries and mutations that other programs call over HTTP and that run in a transaction of their own. Write a method with {@link
 * dev.muster.function.Query} or {@link dev.muster.function.Mutation}; {@link dev.muster.function.Functions} calls them in the same process.
 */
@NullMarked
package dev.muster.function;

import org.jspecify.annotations.NullMarked;
