/**
 * The parts of a bulk for several shards of this node in one message. The node hands each part to
 * its own handling as a request to itself, so that it has the task, the checks, the indexing
 * pressure, the thread pool and the replication that it has as a message of its own, and answers
 * with what is finished.
 */
@NullMarked
package dev.weir.node.bulk;

import org.jspecify.annotations.NullMarked;
