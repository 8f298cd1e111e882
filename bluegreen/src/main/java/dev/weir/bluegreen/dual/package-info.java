/**
 * Writes that are repeated on another cluster: what the first one acknowledged is written there
 * with the same id and version, and what it does not have in time is kept in a log, from which
 * {@code weir repair} brings it up to date. Requests are handled on their home, which never blocks;
 * the log has a thread of its own, as has a repair.
 */
@NullMarked
package dev.weir.bluegreen.dual;

import org.jspecify.annotations.NullMarked;
