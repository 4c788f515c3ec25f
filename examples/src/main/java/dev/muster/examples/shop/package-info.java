/**
 * A shop that takes orders, charges them and writes invoices, as a service of one's own would: {@link
 * dev.muster.examples.shop.OrderService} is what its web pages call, {@link dev.muster.examples.shop.OrderFunctions} what other services
 * call by name, {@link dev.muster.examples.shop.OrderJobs} what runs in the background.
 *
 * <pre>
 *   place order ── one transaction ──▶ order row + job charge_order + job write_invoice, which waits for it
 *   charge_order   asks the payment provider; writes the payment and completes in one transaction
 *   write_invoice  runs once the charge has completed; writes the invoice and completes in one transaction
 *   daily_revenue  every night: one row per day
 * </pre>
 */
@NullMarked
package dev.muster.examples.shop;

import org.jspecify.annotations.NullMarked;
