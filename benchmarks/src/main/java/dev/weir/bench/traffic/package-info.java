/** What several clusters behind one gateway cost those who only want to search, or to write. */
@NullMarked
package dev.weir.bench.traffic;

import org.jspecify.annotations.NullMarked;
