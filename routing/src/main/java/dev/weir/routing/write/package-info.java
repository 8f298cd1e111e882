/**
 * Which shard documents without an id go to, and the ids that take them there. Pure: no I/O, no
 * threads of its own; clock and randomness are constructor parameters. Safe on any thread.
 */
@NullMarked
package dev.weir.routing.write;

import org.jspecify.annotations.NullMarked;
