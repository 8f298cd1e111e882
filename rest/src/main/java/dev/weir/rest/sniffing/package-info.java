/** Rewrites what clients learn that look for nodes. Pure; called on event loops. */
@NullMarked
package dev.weir.rest.sniffing;

import org.jspecify.annotations.NullMarked;
