/**
 * Runs the ingest pipelines of documents without writing them, so that a gateway can write them
 * itself. It calls OpenSearch's ingest service as {@code TransportBulkAction} does, with the same
 * order, metrics and failures.
 */
@NullMarked
package dev.weir.node.ingest;

import org.jspecify.annotations.NullMarked;
