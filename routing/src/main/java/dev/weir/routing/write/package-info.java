/**
 * Chooses the shards of documents without ids, and creates ids that belong to them. Pure: no I/O,
 * no threads of its own; clock and randomness are constructor parameters. Safe on any thread.
 */
@NullMarked
package dev.weir.routing.write;

import org.jspecify.annotations.NullMarked;
