/**
 * Answers searches by estimates from a stratified sample of their shards, with confidence
 * intervals: which searches can be estimated, which shards are queried, and how the results are
 * extrapolated.
 *
 * <p>{@code actions} calls it through its interface {@code SearchSamplingPlanner} on the request's
 * event loop; the reduction runs where the search reduces.
 */
@NullMarked
package dev.weir.responses.sampling;

import org.jspecify.annotations.NullMarked;
