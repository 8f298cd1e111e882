/**
 * The response of a search: the merged parts, the shards' failures, and the JSON writer that
 * splices documents from reply frames into it.
 *
 * <p>Used on the request's event loop.
 */
@NullMarked
package dev.weir.core.reduce.response;

import org.jspecify.annotations.NullMarked;
