/** Scenarios through a whole gateway on a real cluster. */
@NullMarked
package dev.weir.it;

import org.jspecify.annotations.NullMarked;
