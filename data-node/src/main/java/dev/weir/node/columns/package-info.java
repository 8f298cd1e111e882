/**
 * Fetches the documents of a search as columns of doc values, so that neither the node nor the
 * gateway loads, ships or parses their sources. The gateway calls it in place of OpenSearch's fetch
 * phase, on the same search context.
 */
@NullMarked
package dev.weir.node.columns;

import org.jspecify.annotations.NullMarked;
