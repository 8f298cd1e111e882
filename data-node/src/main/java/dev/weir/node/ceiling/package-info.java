/**
 * The single-request circuit breaker: bounds what one search holds on this node, by the ceiling
 * that its shard requests carry in a header.
 *
 * <p>A shard request without the header takes one look-up in the headers of its task. One with the
 * header gets aggregators that take their arrays from an account of its own, which passes every
 * reservation on to the node's request breaker. {@link dev.weir.node.ceiling.RequestCeilings} is
 * the entrance; everything else is called by OpenSearch's search threads, several at a time for one
 * shard with concurrent segment search.
 */
@NullMarked
package dev.weir.node.ceiling;

import org.jspecify.annotations.NullMarked;
