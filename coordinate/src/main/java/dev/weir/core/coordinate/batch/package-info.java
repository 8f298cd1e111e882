/**
 * One message to a node for the requests of a search, or the parts of a bulk, to several of its
 * shards. Each call stays a call of its own above this package: with its load, its slot, its trace
 * and its outcome.
 */
@NullMarked
package dev.weir.core.coordinate.batch;

import org.jspecify.annotations.NullMarked;
