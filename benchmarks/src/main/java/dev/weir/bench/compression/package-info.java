/** What compression between the gateway and the nodes costs, and what it saves. */
@NullMarked
package dev.weir.bench.compression;

import org.jspecify.annotations.NullMarked;
