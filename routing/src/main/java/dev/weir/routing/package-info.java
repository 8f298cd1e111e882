/**
 * Ranks the copies of shards and decides about hedged requests and retries. Pure: no I/O, no
 * threads of its own; clock and randomness are constructor parameters. Called on any event loop;
 * state that event loops share is thread-safe.
 */
@NullMarked
package dev.weir.routing;

import org.jspecify.annotations.NullMarked;
