/**
 * Compares an index of two clusters, and lists the documents that differ. Blocks; for threads of
 * its own.
 */
@NullMarked
package dev.weir.bluegreen.compare;

import org.jspecify.annotations.NullMarked;
