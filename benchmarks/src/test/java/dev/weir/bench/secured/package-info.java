/** Tests of the reading of a gateway's counts. */
@NullMarked
package dev.weir.bench.secured;

import org.jspecify.annotations.NullMarked;
