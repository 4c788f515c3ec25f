/**
 * Muster in a Spring application: {@link dev.muster.spring.MusterCustomizer} changes what the starters build, {@link
 * dev.muster.spring.MusterTransactions} completes a job in the transaction of Spring, and {@link dev.muster.spring.SpringCurrentTransaction} lets
 * Muster write in it.
 */
@NullMarked
package dev.muster.spring;

import org.jspecify.annotations.NullMarked;
