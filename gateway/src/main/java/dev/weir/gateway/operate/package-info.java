/**
 * The commands by which an operator restarts data nodes and runs maintenance on them, and their
 * admin pages. What they do is in {@code dev.weir.operate}.
 */
@NullMarked
package dev.weir.gateway.operate;

import org.jspecify.annotations.NullMarked;
