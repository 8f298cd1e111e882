/** Searches that leave indices out by time, beside the same searches on a node. */
@NullMarked
package dev.weir.it.pruning;

import org.jspecify.annotations.NullMarked;
