/**
 * Tells gateways whether a search on a copy of a shard could answer otherwise than before: one
 * request asks for the generations of the readers of many copies. Safe on any thread.
 */
@NullMarked
package dev.weir.node.generation;

import org.jspecify.annotations.NullMarked;
