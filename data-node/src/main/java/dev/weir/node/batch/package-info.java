/**
 * Requests of a search to several shards of this node in one message. The node hands each to its
 * own handling as a request to itself, so that it has the task, the checks and the thread pool that
 * it has as a message of its own, and answers with what is finished.
 */
@NullMarked
package dev.weir.node.batch;

import org.jspecify.annotations.NullMarked;
