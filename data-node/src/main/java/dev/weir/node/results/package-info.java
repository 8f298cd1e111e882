/**
 * What batches of requests to shards and of parts of bulks have in common: how their results are
 * written and sent, and how they are kept until the gateway asks for them.
 */
@NullMarked
package dev.weir.node.results;

import org.jspecify.annotations.NullMarked;
