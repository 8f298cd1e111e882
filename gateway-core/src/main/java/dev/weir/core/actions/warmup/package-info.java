/**
 * Warms copies of shards that are new on their node: recent searches are sent to them again before
 * clients' reads reach them.
 */
@NullMarked
package dev.weir.core.actions.warmup;

import org.jspecify.annotations.NullMarked;
