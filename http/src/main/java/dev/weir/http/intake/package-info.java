/**
 * Takes requests in by their headers: checks them, chooses the cluster that serves them, and asks
 * the header filter, before any of a body is read. The interfaces {@link
 * dev.weir.http.intake.Destination} and {@link dev.weir.http.intake.HeaderFilter} are for the
 * modules above, which implement them; called on the request's event loop, of many connections at
 * once.
 */
@NullMarked
package dev.weir.http.intake;

import org.jspecify.annotations.NullMarked;
