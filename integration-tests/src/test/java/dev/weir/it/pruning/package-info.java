/** Searches with pruning, compared with the same searches on a node. */
@NullMarked
package dev.weir.it.pruning;

import org.jspecify.annotations.NullMarked;
