/**
 * A small blocking client of REST APIs, for commands and admin pages that ask a cluster or an admin
 * port: every response is bounded in time and size, and failures say what to do. Nothing here runs
 * on an event loop.
 */
@NullMarked
package dev.weir.client;

import org.jspecify.annotations.NullMarked;
