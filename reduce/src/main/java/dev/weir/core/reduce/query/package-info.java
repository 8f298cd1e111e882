/**
 * Reduces the results of the query phase to one, in batches as OpenSearch does or in a single pass.
 *
 * <p>Runs on the request's event loop when the reduction is small, otherwise on the reduce pool.
 */
@NullMarked
package dev.weir.core.reduce.query;

import org.jspecify.annotations.NullMarked;
