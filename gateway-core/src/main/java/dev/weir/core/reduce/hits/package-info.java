/**
 * Hits as they lie in the reply frames of data nodes, and how they are written as JSON without
 * building OpenSearch's objects.
 *
 * <p>Used on the request's event loop; each writer is used by one thread.
 */
@NullMarked
package dev.weir.core.reduce.hits;

import org.jspecify.annotations.NullMarked;
