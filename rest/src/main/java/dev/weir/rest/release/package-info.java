/**
 * Ends actions on a cluster that clients' traffic has left and of which no node answers any more.
 */
@NullMarked
package dev.weir.rest.release;

import org.jspecify.annotations.NullMarked;
