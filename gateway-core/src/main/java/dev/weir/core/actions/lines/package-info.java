/**
 * Bulks whose documents never become objects: they go from the lines of the client's body into the
 * messages to the shards, and come back as columns.
 */
@NullMarked
package dev.weir.core.actions.lines;

import org.jspecify.annotations.NullMarked;
