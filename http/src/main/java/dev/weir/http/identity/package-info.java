/**
 * The identity of clients: which headers about a user and an address the gateway accepts, drops and
 * adds. {@code connection} applies the rules to each request, {@code proxy} to what goes to a node
 * and what comes from it. Immutable, except for the headers that the caller passes; called on the
 * request's event loop.
 */
@NullMarked
package dev.weir.http.identity;

import org.jspecify.annotations.NullMarked;
