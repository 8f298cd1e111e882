/**
 * The rounds of calls of one search: can-match, dfs, query, fetch, and opening a point in time.
 * Each builds the requests for shard copies and receives the replies.
 *
 * <p>{@code coordinate} drives the rounds through its interfaces, on the request's event loop.
 */
@NullMarked
package dev.weir.core.reduce.round;

import org.jspecify.annotations.NullMarked;
