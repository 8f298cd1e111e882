/** Tests of reads that are repeated on another cluster. */
@NullMarked
package dev.weir.gateway.shadow;

import org.jspecify.annotations.NullMarked;
