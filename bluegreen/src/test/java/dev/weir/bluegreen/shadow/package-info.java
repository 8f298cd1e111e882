/** Tests of reads that are repeated on another cluster. */
@NullMarked
package dev.weir.bluegreen.shadow;

import org.jspecify.annotations.NullMarked;
