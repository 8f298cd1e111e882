/** What the channels to nodes count. Used by the parent package alone. */
@NullMarked
package dev.weir.protocol.stats;

import org.jspecify.annotations.NullMarked;
