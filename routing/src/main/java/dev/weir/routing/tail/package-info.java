/**
 * Shortens the tail of response times: budgets and statistics of hedged requests and retries. Pure;
 * each class states its thread safety.
 */
@NullMarked
package dev.weir.routing.tail;

import org.jspecify.annotations.NullMarked;
